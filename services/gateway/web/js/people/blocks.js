// Players whom one does not want to meet in queues: a switch on their page, a list on one's own.

import { blockPlayer, unblockPlayer } from '../api.js';
import { announce, button, h, toast } from '../dom.js';
import { inWords } from '../problems.js';
import { day } from '../ranking/ladders.js';
import { playerAddress } from '../route.js';

/** Runs `work` while `pressed` cannot be pressed again; false when it failed, which is told. */
async function attempt(pressed, work) {
  pressed.disabled = true;
  try {
    await work();
    return true;
  } catch (problem) {
    toast(inWords(problem));
    return false;
  } finally {
    pressed.disabled = false;
  }
}

/** On the page of another player. */
export function blockSwitch(player, blocked) {
  const words = h('p', { class: 'note', 'data-testid': 'block-state' });
  const toggle = button('quiet', 'block', change);
  const show = () => {
    toggle.textContent = blocked ? 'Unblock' : 'Block';
    words.textContent = blocked
      ? 'Blocked: queues never seat you together. The other one is not told.'
      : 'Queues will never seat you together. The other one is not told.';
  };

  async function change() {
    const done = await attempt(toggle, () =>
      blocked ? unblockPlayer(player.id) : blockPlayer(player.id),
    );
    if (!done) return;
    blocked = !blocked;
    show();
    announce(`${player.name} is ${blocked ? 'blocked' : 'not blocked any more'}`);
  }

  show();
  return h('div', { class: 'stack' }, words, toggle);
}

const nobody = () =>
  h(
    'p',
    { class: 'note', tabindex: '-1', 'data-testid': 'no-blocks' },
    'You block nobody. To block a player, open the player’s page from a ladder or a match.',
  );

function entry({ player, since }, onGone) {
  const undo = button('quiet', 'unblock', gone, 'Unblock');
  undo.setAttribute('aria-label', `Unblock ${player.name}`);
  const line = h(
    'li',
    {},
    h('a', { class: 'text-link', href: playerAddress(player.id) }, player.name),
    h('span', { class: 'note' }, `since ${day(since)}`),
    undo,
  );

  async function gone() {
    if (!(await attempt(undo, () => unblockPlayer(player.id)))) return;
    announce(`${player.name} is not blocked any more`);
    onGone(line);
  }

  return line;
}

/** Everybody whom the player blocks. */
export function blockList(blocks) {
  const host = h('div', {});
  const list = h('ul', { class: 'blocks', 'data-testid': 'blocks' });
  // The button that had the focus is gone with its line: the next one takes it over.
  const remove = (line) => {
    const near = line.nextElementSibling ?? line.previousElementSibling;
    line.remove();
    if (near) near.querySelector('button').focus();
    else {
      host.replaceChildren(nobody());
      host.firstChild.focus();
    }
  };
  list.append(...blocks.map((block) => entry(block, remove)));
  host.append(blocks.length ? list : nobody());
  return host;
}
