// Passing a link on: by the device's own share sheet, else by the clipboard.

import { toast } from './dom.js';

async function copy(link) {
  try {
    await navigator.clipboard.writeText(link);
    toast('Link copied. Send it to your friends.');
  } catch {
    toast(link);
  }
}

/** A link to this page with `values` in its query. */
export const inviteLink = (values) => `${location.origin}/?${new URLSearchParams(values)}`;

export async function share(text, link) {
  if (!navigator.share) {
    await copy(link);
    return;
  }
  try {
    await navigator.share({ title: 'Spatz', text, url: link });
  } catch {
    /* the player closed the share sheet */
  }
}
