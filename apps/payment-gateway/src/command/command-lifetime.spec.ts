import { RECENT_MS } from '@tranche/order-journal';
import { COMMAND_LIFETIME_MS } from '@tranche/platform';

it('refuses a command before a snapshot may have dropped the verdicts on it (R12)', () => {
  expect(COMMAND_LIFETIME_MS).toBeLessThanOrEqual(RECENT_MS);
});
