import { METHODS } from '@tranche/contracts';
import { CAPTURE_WINDOW_MS, PENDING_LIFETIME_MS } from '@tranche/order-journal';

const DAY_MS = 86_400_000;

it('the fold counts the windows that the method table states', () => {
  expect([METHODS.A.captureWindowDays * DAY_MS, METHODS.B.captureWindowDays * DAY_MS]).toEqual([
    CAPTURE_WINDOW_MS,
    CAPTURE_WINDOW_MS,
  ]);
  expect(METHODS.B.pendingDays * DAY_MS).toBe(PENDING_LIFETIME_MS);
});
