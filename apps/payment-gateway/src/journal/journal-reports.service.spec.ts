import type { CloudEvent, Merchants, PaymentEvent } from '@tranche/contracts';
import { Metrics, type ServiceLogger } from '@tranche/service-kit';
import type { Clock } from '../clock.js';
import type { GatewayConfig } from '../gateway.config.js';
import { JournalReports } from './journal-reports.service.js';

const said: Record<string, unknown>[] = [];
const log = {
  info: () => undefined,
  error: (fields: object, message: string) => void said.push({ ...fields, message }),
} as unknown as ServiceLogger;
const merchants = { all: [{ merchant: 'shop-fr' }] } as unknown as Merchants;

function conflict(flags: string[]): { event: CloudEvent<PaymentEvent> } {
  const data = { merchant: 'shop-fr', orderId: 'o-1', commandId: 'c-1', amount: 30_000, currency: 'EUR', flags };
  return { event: { type: 'payment.conflict.detected', data } as unknown as CloudEvent<PaymentEvent> };
}

it('a conflict is counted by its gravest reason, from a series that begins with 0, and logged with order and amount', async () => {
  const metrics = new Metrics('payment-gateway');
  const report = new JournalReports(metrics, {} as Clock, log, { merchants } as GatewayConfig);
  const counted = async (reason: string) =>
    /(\d+)$/m.exec(
      (await metrics.registry.metrics())
        .split('\n')
        .find((line) => line.startsWith('tranche_conflicts_total{') && line.includes(`reason="${reason}"`)) ?? '',
    )?.[1];
  expect([await counted('two_payments_succeeded'), await counted('other_amount')]).toEqual(['0', '0']);
  report.published([conflict(['was_refused', 'said_succeeded', 'two_payments_succeeded']), conflict(['other_amount'])]);
  expect([await counted('two_payments_succeeded'), await counted('other_amount')]).toEqual(['1', '1']);
  expect(await counted('other_result')).toBe('0');
  expect(said[0]).toMatchObject({
    reason: 'two_payments_succeeded',
    orderId: 'o-1',
    amount: 30_000,
    currency: 'EUR',
    message: expect.stringContaining('docs/operate/runbook.md'),
  });
});

it.each([
  ['adopted', false],
  ['frozen', true],
])(
  'a snapshot that differs from its records is counted as %s, and logged with names of fields only',
  async (order, isFrozen) => {
    const metrics = new Metrics('payment-gateway');
    const report = new JournalReports(metrics, {} as Clock, log, { merchants } as GatewayConfig);
    const counted = async () =>
      new RegExp(`^tranche_snapshot_mismatches_total\\{.*order="${order}".*\\} (\\d+)$`, 'm').exec(
        await metrics.registry.metrics(),
      )?.[1];
    expect(await counted()).toBe('0');
    const mismatch = { merchant: 'shop-fr', orderId: 'o-2', fields: ['operations.flags'], isFrozen };
    report.snapshotDiffers(mismatch);
    expect(await counted()).toBe('1');
    const { message, ...fields } = said.at(-1)!;
    expect([fields, message]).toEqual([
      { merchant: 'shop-fr', orderId: 'o-2', fields: ['operations.flags'] },
      expect.stringContaining(isFrozen ? 'order_frozen' : 'what is written counts'),
    ]);
  },
);
