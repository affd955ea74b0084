// The turn clock: a ring around whoever is on turn. First the seconds of the move run down, then
// the bank. The server says how much is left; the browser only counts on from there.

const STEP_MS = 250;
const HURRY_SECONDS = 5;

let timer;

export const stopClock = () => clearInterval(timer);

/** Draws the clock of `view` now and then again and again. */
export function tickClock(view) {
  stopClock();
  if (!view.turn) return;
  const draw = () => drawClock(view);
  draw();
  timer = setInterval(draw, STEP_MS);
}

function timeLeft({ turn, received, time_control: control }) {
  const total = (Date.parse(turn.deadline) - Date.parse(turn.started_at)) / 1000;
  const left = Math.max(0, (turn.remaining_ms - (performance.now() - received)) / 1000);
  const bank = Math.max(0, total - control.move_seconds);
  return left > bank
    ? { seconds: left - bank, share: (left - bank) / Math.max(0.001, total - bank), banking: false }
    : { seconds: left, share: bank > 0 ? left / bank : 0, banking: true };
}

function drawClock(view) {
  const seat = document.querySelector(`[data-seat="${view.turn.seat}"]`);
  if (!seat) return;
  const { seconds, share, banking } = timeLeft(view);
  const ring = seat.querySelector('.ring');
  ring.setAttribute('stroke-dashoffset', String(100 - 100 * Math.min(1, share)));
  ring.classList.toggle('banking', banking);
  const text = seat.querySelector('.time-left');
  if (text) {
    text.textContent = `${Math.ceil(seconds)} s${banking ? ' of your bank' : ''}`;
    text.classList.toggle('hurry', seconds <= HURRY_SECONDS);
  }
}
