// Where in the lobby the player is, as the part of the address behind the #: so that going back,
// reloading and sending a link work. The table has no such address.

const HOME = { page: 'home' };

/** {page: 'home'}, {page: 'ladder', ladder?} or {page: 'player', player, ladder?}. */
export function parseRoute(hash) {
  const [page, ...parts] = hash.replace(/^#\//, '').split('/');
  let ids;
  try {
    ids = parts.map(decodeURIComponent);
  } catch {
    return HOME; // a broken escape names nothing
  }
  if (page === 'ladder') return { page, ladder: ids[0] };
  if (page === 'player' && ids[0]) return { page, player: ids[0], ladder: ids[1] };
  return HOME;
}

const address = (...parts) =>
  `#/${parts
    .filter((part) => part !== undefined)
    .map(encodeURIComponent)
    .join('/')}`;

export const HOME_ADDRESS = '#/';
export const ladderAddress = (ladder) => address('ladder', ladder);
export const playerAddress = (player, ladder) => address('player', player, ladder);

export const currentRoute = () => parseRoute(location.hash);

/** Changes the address without going there: what is shown has changed already, or will. */
export function noteAddress(hash) {
  const address = new URL(location.href);
  address.hash = hash === HOME_ADDRESS ? '' : hash;
  history.replaceState(null, '', address);
}
