// One exchange with the server: JSON in, JSON out; everything that is not a success becomes a
// Problem. No token renewal and no retry here; those are session.js and api.js.

/** An answer that is not a success. `status` 0: the server could not be reached. */
export class Problem extends Error {
  constructor(status, body = {}, retryAfterSeconds = null) {
    super(body.detail ?? body.title ?? `status ${status}`);
    this.status = status;
    this.code = body.code ?? (status === 0 ? 'offline' : 'internal');
    this.body = body;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** The same request may succeed a little later. */
  get passing() {
    return [0, 429, 502, 503, 504].includes(this.status);
  }
}

export async function exchange(method, path, { body, token, headers = {}, signal } = {}) {
  const all = { ...headers };
  if (token) all.Authorization = `Bearer ${token}`;
  if (body !== undefined) all['Content-Type'] = 'application/json';
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: all,
      signal,
      cache: 'no-store',
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Problem(0);
  }
  if (!response.ok && response.status !== 304) throw await problemOf(response);
  return response;
}

/** The JSON of a response, null when it has none; a connection that breaks off is a Problem too. */
export async function json(response) {
  const text = await response.text().catch(() => {
    throw new Problem(0);
  });
  return text ? JSON.parse(text) : null;
}

async function problemOf(response) {
  const body = await response.json().catch(() => ({}));
  return new Problem(response.status, body, Number(response.headers.get('Retry-After')) || null);
}
