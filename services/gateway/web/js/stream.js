// Server-sent events over fetch(), because EventSource cannot send the Authorization header.
// Reconnects with back-off from the last event seen, and when not even a heartbeat came for 40 s.

import { authorized } from './api.js';

const SILENCE_MS = 40_000;
const BACK_OFF_MS = [250, 500, 1000, 2000, 4000, 8000];

/** Splits a growing text into events; returns a function that takes the next piece. */
export function parser(onEvent) {
  let rest = '';
  return (piece) => {
    rest += piece;
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = blocks.pop();
    for (const block of blocks) {
      const event = { name: 'message', id: null, data: '' };
      for (const line of block.split(/\r?\n/)) {
        const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line);
        if (field === 'data') event.data += value;
        else if (field === 'event') event.name = value;
        else if (field === 'id') event.id = value;
      }
      if (event.data) onEvent({ ...event, data: JSON.parse(event.data) });
    }
  };
}

/**
 * Follows `path` until close(). `after` is the last event id already known (or null).
 * onEvent({name, id, data}); onState(true|false) when the connection opens or is lost.
 */
export function follow(path, { after = null, onEvent, onState = () => {} }) {
  let lastId = after;
  let closed = false;
  let failures = 0;
  let connection = new AbortController();
  let wake = () => {};

  async function listen() {
    connection = new AbortController();
    let silence;
    const alive = () => {
      clearTimeout(silence);
      silence = setTimeout(() => connection.abort(), SILENCE_MS);
    };
    alive();
    try {
      const headers = {
        Accept: 'text/event-stream',
        ...(lastId === null ? {} : { 'Last-Event-ID': String(lastId) }),
      };
      const response = await authorized('GET', path, { headers, signal: connection.signal });
      onState(true);
      const take = parser((event) => {
        failures = 0;
        if (event.id !== null) lastId = event.id;
        if (!closed) onEvent(event);
      });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        alive();
        take(part.value);
      }
    } finally {
      clearTimeout(silence);
    }
  }

  async function run() {
    while (!closed) {
      await listen().catch(() => {});
      if (closed) return;
      onState(false);
      const delay =
        BACK_OFF_MS[Math.min(failures, BACK_OFF_MS.length - 1)] * (0.75 + Math.random() / 2);
      failures += 1;
      await new Promise((resolve) => {
        wake = resolve;
        setTimeout(resolve, delay);
      });
    }
  }

  const hurry = () => {
    failures = 0;
    wake();
  };
  window.addEventListener('online', hurry);
  run();

  return {
    /** Starts again after `id`: the server said that it is behind us. */
    restart(id) {
      lastId = id;
      connection.abort();
    },
    close() {
      closed = true;
      window.removeEventListener('online', hurry);
      connection.abort();
      wake();
    },
  };
}
