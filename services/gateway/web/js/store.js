// What the page remembers between visits: device id, session, name, the table being played.
// Values are JSON under one prefix. Where storage is refused, a map lasts as long as the page.

const PREFIX = 'spatz.';
const fallback = new Map();

export function read(key) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + key));
  } catch {
    return fallback.get(key) ?? null;
  }
}

export function write(key, value) {
  fallback.set(key, value);
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    /* the map above has it */
  }
}

export function forget(key) {
  fallback.delete(key);
  try {
    localStorage.removeItem(PREFIX + key);
  } catch {
    /* nothing was stored */
  }
}
