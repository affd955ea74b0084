// Views can come faster than eyes. A completed trick stays on the table for a moment (as `held`)
// before the next view is drawn without it; the player's own move ends the wait. Tricks come from
// the event stream: the view after a deal's last trick no longer shows it.

const HOLD_MS = 1100;

/** `paint(view, held)` draws; held is the completed trick to keep, or null. */
export function createPacer(paint) {
  let latest = null;
  let held = null;
  let timer;

  const draw = () => {
    if (latest) paint(latest, held);
  };
  const release = () => {
    clearTimeout(timer);
    held = null;
    draw();
  };

  return {
    show(view) {
      latest = view;
      draw();
    },
    /** Keeps a trick that was just completed. */
    hold(trick) {
      clearTimeout(timer);
      held = trick;
      timer = setTimeout(release, HOLD_MS);
      draw();
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
