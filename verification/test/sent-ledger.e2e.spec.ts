import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openLedgerStage, ORDER_PREFIX, PATIENCE_MS, type LedgerStage } from './ledger-stage.js';

let opened: LedgerStage;
beforeAll(async () => (opened = await openLedgerStage()), 120_000);
afterAll(() => opened.close(), 60_000);

it('an attempt whose gateway was killed between made and sent was not executed, and is no doubt', async () => {
  const orderId = `${ORDER_PREFIX}made`;
  const ledgers = join(opened.folder, 'made');
  await opened.killedAt('granted', orderId, ledgers);
  // Far longer than the test, so only the ledger can end the attempt.
  const next = await opened.stage.gateway({ env: { SENT_LEDGER_DIR: ledgers, PLATFORM_TIMEOUT_MS: '600000' } });
  const isRedirect = ({ type }: { type: string }) => type === 'payment.authorize.redirect_required';
  const redirect = await opened.events.next(orderId, (all) => all.find(isRedirect), PATIENCE_MS);
  expect([redirect?.data.attempt, opened.typesOf(orderId)]).toEqual([2, ['payment.authorize.redirect_required']]);
  expect((await opened.recordsOf(orderId)).map(({ record }) => record)).toEqual([
    ...['INTENT', 'NOT_EXECUTED', 'INTENT', 'OUTCOME'],
  ]);
  await next.stop();
  expect(readdirSync(ledgers)).toEqual([]);
}, 180_000);
