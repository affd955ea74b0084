// A list that comes in pages, each with the cursor of the next: one button adds a page below.

import { announce, button, h } from './dom.js';
import { failure } from './loading.js';

/**
 * What shows a list from its first page on. `load(cursor)` gives {items, next}; `row(item)` makes
 * a row for `list`, which belongs into `frame` (a table; or the list itself).
 */
export function pagedList(first, { load, row, list, frame = list }) {
  const foot = h('div', { class: 'list-foot' });

  function add({ items, next }) {
    const rows = items.map(row);
    list.append(...rows);
    foot.replaceChildren(...(next === null ? [] : [moreButton(next)]));
    return rows;
  }

  function moreButton(cursor) {
    const more = button('quiet', 'more', () => go(cursor, more), 'Show more');
    return more;
  }

  async function go(cursor, more) {
    more.disabled = true;
    try {
      const [start, ...others] = add(await load(cursor));
      if (!start) return;
      announce(`${others.length + 1} more`);
      start.tabIndex = -1;
      start.focus();
    } catch (problem) {
      foot.replaceChildren(failure(problem, () => go(cursor, more)));
    }
  }

  add(first);
  return [frame, foot];
}
