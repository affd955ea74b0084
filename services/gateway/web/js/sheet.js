// The sheets that slide over the page: native dialogs, so focus, Escape and the backdrop work by
// themselves.

import { byId, h } from './dom.js';

export const openHelp = () => byId('help').showModal();

export const closeSheet = () => byId('sheet').close();

/** Shows `content` under a title in the one general sheet. */
export function openSheet(title, ...content) {
  const sheet = byId('sheet');
  sheet.setAttribute('aria-label', title);
  sheet.replaceChildren(
    h(
      'header',
      { class: 'sheet-head' },
      h('h2', {}, title),
      h(
        'button',
        { type: 'button', class: 'close', 'data-close': true, 'aria-label': 'Close' },
        '✕',
      ),
    ),
    ...content.filter(Boolean),
  );
  if (!sheet.open) sheet.showModal();
}

/** A click on the cross or beside the sheet closes it. */
export function closeSheetsOnClick() {
  for (const dialog of document.querySelectorAll('dialog')) {
    dialog.addEventListener('click', (event) => {
      if (event.target === dialog || event.target.closest('[data-close]')) dialog.close();
    });
  }
}
