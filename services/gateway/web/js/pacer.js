// Views can come faster than eyes. When a trick was completed, the pacer keeps it on the table
// for a moment (as `held`) before it lets the next view through; the player's own move ends the
// wait.

const HOLD_MS = 1100;

const trickKey = (view) =>
  view.deal ? `${view.deal.number}/${view.seats.reduce((sum, seat) => sum + seat.tricks, 0)}` : '';

/** `paint(view, held)` draws; held is the completed trick to keep, or null. */
export function createPacer(paint) {
  let latest = null;
  let held = null;
  let seen = null;
  let timer;

  const release = () => {
    clearTimeout(timer);
    held = null;
    if (latest) paint(latest, null);
  };

  return {
    show(view) {
      const key = trickKey(view);
      const completed = seen !== null && key !== seen && view.deal?.last_trick;
      seen = key;
      latest = view;
      if (completed) {
        held = view.deal.last_trick;
        clearTimeout(timer);
        timer = setTimeout(release, HOLD_MS);
      }
      paint(view, held);
    },
    /** Ends a wait at once. */
    skip() {
      if (held) release();
    },
    stop() {
      clearTimeout(timer);
      latest = null;
    },
  };
}
