import { jsonLineOf, listOf, tableOf } from './quarantine-command.js';
import type { Quarantined } from '../quarantine-record.js';

const record = (more: Partial<Quarantined> = {}): Quarantined => ({
  entry: { key: 'a', partition: 0, offset: 0n },
  id: 'a'.repeat(64),
  reason: 'hash_mismatch',
  merchant: 'shop-fr',
  from: '192.0.2.1',
  receivedAt: '2028-01-02T00:00:00.000Z',
  isAltered: false,
  parameters: [
    ['ORDERID', 'order-1'],
    ['CLIENTEMAIL', 'jeanne@example.com'],
  ],
  ...more,
});

it('has a line for a notification, however often it came, and none of its personal data', async () => {
  const list = await listOf([
    record({ receivedAt: '2028-01-03T00:00:00.000Z' }),
    record(),
    record({ from: '192.0.2.2', isAltered: true }),
    record({
      id: 'b',
      reason: 'unknown_identifier',
      merchant: undefined,
      parameters: [],
      receivedAt: '2028-01-01T00:00:00.000Z',
    }),
  ]);
  const first = '2028-01-01T00:00:00.000Z';
  expect(list).toEqual([
    {
      id: 'b',
      reason: 'unknown_identifier',
      firstAt: first,
      lastAt: first,
      from: ['192.0.2.1'],
      count: 1,
      altered: false,
    },
    {
      id: 'a'.repeat(64),
      reason: 'hash_mismatch',
      merchant: 'shop-fr',
      orderId: 'order-1',
      firstAt: '2028-01-02T00:00:00.000Z',
      lastAt: '2028-01-03T00:00:00.000Z',
      from: ['192.0.2.1', '192.0.2.2'],
      count: 3,
      altered: true,
    },
  ]);
  const table = tableOf(list);
  expect(table.split('\n')).toHaveLength(3);
  expect(table).toMatch(
    /^aaaaaaaaaaaaaaaa {2}hash_mismatch \(altered\) +shop-fr +order-1 .* 192\.0\.2\.1 192\.0\.2\.2 +3$/m,
  );
  expect(table).not.toContain('jeanne');
});

it('prints nothing that would steer a terminal', async () => {
  expect(tableOf(await listOf([record({ parameters: [['ORDERID', '\u001b[2J\nx']] })]))).toContain('·[2J·x');
});

it('its JSON escapes every control character', () => {
  const value = { orderId: 'a\u001b\u007f\u009b2J\u202e\u{e0041}é' };
  const line = jsonLineOf(value);
  expect(line).not.toMatch(/\p{C}/u);
  expect(JSON.parse(line)).toEqual(value);
});

it('is as long as the quarantine', async () => {
  const [one] = await listOf([record()]);
  expect(tableOf(Array.from({ length: 200_000 }, () => one!)).split('\n')).toHaveLength(200_001);
});
