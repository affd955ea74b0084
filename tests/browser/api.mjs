// A player without a browser: company for the visitors, over the same API.

import { randomUUID } from 'node:crypto';

const JSON_BODY = { 'Content-Type': 'application/json' };

/** The first thing that is offered; of the cards to lay off, as many as the server asks for. */
function firstOf(offers) {
  const [offer] = offers;
  if (offer.type !== 'discard') return offer;
  return { type: 'discard', cards: offer.from.slice(0, offer.count) };
}

export class Companion {
  constructor(base) {
    this.base = base;
  }

  static async signIn(base, name) {
    const companion = new Companion(base);
    const answer = await companion.call('POST', '/v1/auth/guest', {
      device_id: randomUUID(),
      display_name: name,
    });
    companion.token = answer.access_token;
    companion.id = answer.player.id;
    return companion;
  }

  headers() {
    return this.token ? { Authorization: `Bearer ${this.token}` } : {};
  }

  async call(method, path, body) {
    const response = await fetch(this.base + path, {
      method,
      headers: { ...this.headers(), ...(body ? JSON_BODY : {}) },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : null;
  }

  queue(queueId, party) {
    return this.call('POST', '/v1/tickets', { queue_id: queueId, ...(party ? { party } : {}) });
  }

  cancel(ticket) {
    return this.call('DELETE', `/v1/tickets/${ticket.id}`);
  }

  /** What the stream at `path` tells, until `done(event)` says that it is enough. */
  async listen(path, done) {
    const stop = new AbortController();
    const headers = { ...this.headers(), Accept: 'text/event-stream' };
    const response = await fetch(this.base + path, { headers, signal: stop.signal });
    let rest = '';
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + piece).split('\n\n');
      rest = blocks.pop();
      for (const block of blocks) {
        const data = /^data: ?(.*)$/m.exec(block)?.[1];
        if (data && (await done(JSON.parse(data)))) {
          stop.abort();
          return;
        }
      }
    }
    throw new Error(`${path} ended too early`);
  }

  /** The table that a ticket leads to. */
  async tableOf(ticket) {
    let table = null;
    await this.listen(`/v1/tickets/${ticket.id}/events`, (state) => {
      table = state.table_id;
      return table !== null;
    });
    return table;
  }

  /**
   * Does what is offered at a table until the match is over and rated: bids `bids` times, then
   * passes, so that a match is short; else always the first thing.
   */
  async playToTheEnd(table, { bids = 0 } = {}) {
    let view = await this.look(table);
    const isOver = () => view.phase === 'ended' && view.rating_changes.length > 0;
    const goOn = async () => {
      view = await this.look(table);
      while (view.legal_actions.length) {
        const bid = bids > 0 && view.legal_actions.find(({ type }) => type === 'bid');
        if (bid) bids -= 1;
        await this.act(table, bid || firstOf(view.legal_actions));
        view = await this.look(table);
      }
      return isOver();
    };
    if (await goOn()) return view;
    await this.listen(`/v1/tables/${table}/events`, goOn);
    return view;
  }

  look(table) {
    return this.call('GET', `/v1/tables/${table}`);
  }

  act(table, action) {
    return this.call('POST', `/v1/tables/${table}/actions`, { command_id: randomUUID(), action });
  }
}
