import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@tranche/testing';
import { openLedgerStage, ORDER_PREFIX, PATIENCE_MS, type LedgerStage } from './ledger-stage.js';

let opened: LedgerStage;
beforeAll(async () => (opened = await openLedgerStage()), 120_000);
afterAll(() => opened.close(), 60_000);

it('an attempt whose gateway was killed after `sent` stays in doubt', async () => {
  const orderId = `${ORDER_PREFIX}sent`;
  const ledgers = join(opened.folder, 'sent');
  await opened.killedAt('request-partly-written', orderId, ledgers);
  await opened.stage.gateway({ env: { SENT_LEDGER_DIR: ledgers } });
  await opened.events.next(orderId, (all) => all.find(({ type }) => type.endsWith('.in_doubt')), PATIENCE_MS);
  const own = 1;
  await waitFor(() => readdirSync(ledgers).filter((name) => name.endsWith('.lock')).length === own, {
    timeoutMs: PATIENCE_MS,
    what: 'the ledger of the killed gateway to be taken over',
  });
  expect(opened.typesOf(orderId)).toEqual(['payment.authorize.in_doubt']);
  expect((await opened.recordsOf(orderId)).map(({ record }) => record)).toEqual(['INTENT', 'IN_DOUBT']);
}, 180_000);
