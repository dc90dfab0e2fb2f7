import { RECENT_MS } from '@tranche/order-journal';
import { COMMAND_LIFETIME_MS } from '@tranche/platform';

it('refuses a command before the verdicts on it may be gone from a carried order (R12)', () => {
  expect(COMMAND_LIFETIME_MS).toBeLessThanOrEqual(RECENT_MS);
});
