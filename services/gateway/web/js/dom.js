// The few DOM helpers the page needs: build an element, rebuild a part only when it changed, and
// keep a list of keyed elements in step (so that focus and animations survive an update).

export const byId = (id) => document.getElementById(id);

/** h('button', { class: 'big', onclick: f, 'aria-label': 'x' }, 'text', child, …) */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(name, value);
  }
  element.append(
    ...children.flat().filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** A button that does `onclick`; its name for tests may be null. */
export function button(look, testId, onclick, ...content) {
  const attributes = { type: 'button', class: look, 'data-testid': testId, onclick };
  return h('button', attributes, ...content);
}

const drawn = new WeakMap();

/** Rebuilds the content of `host` when `key` (any JSON value) differs from the last time. */
export function redraw(host, key, build) {
  const text = JSON.stringify(key);
  if (drawn.get(host) === text) return;
  drawn.set(host, text);
  host.replaceChildren(...[build()].flat().filter(Boolean));
}

/** Forgets what `host` shows, so that the next redraw is not skipped. */
export function clear(host) {
  drawn.delete(host);
  host.replaceChildren();
}

/** Keeps the children of `host` in step with `items`: creates, updates, orders, removes. */
export function syncList(host, items, keyOf, create, update) {
  const old = new Map([...host.children].map((child) => [child.dataset.key, child]));
  items.forEach((item, index) => {
    const key = keyOf(item);
    const child = old.get(key) ?? create(item);
    old.delete(key);
    child.dataset.key = key;
    update(child, item, index);
    if (host.children[index] !== child) host.insertBefore(child, host.children[index] ?? null);
  });
  for (const child of old.values()) child.remove();
}

/** Says something to screen readers, once. */
export function announce(text) {
  const announcer = byId('announcer');
  if (announcer.textContent !== text) announcer.textContent = text;
}

let toastTimer;

/** A short message at the edge of the screen, gone after some seconds. */
export function toast(text) {
  const box = byId('toast');
  box.textContent = text;
  box.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => {
    box.hidden = true;
  }, 5000);
}
