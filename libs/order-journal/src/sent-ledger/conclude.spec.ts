import type { MadeToken } from '../execution/executor-ports.js';
import type { ClockReading } from '../state/time.js';
import { conclusionOf } from './conclude.js';
import { identityLine, madeLine, sentLine } from './ledger-lines.js';

const OURS = { topicPrefix: 'shop.', clusterId: 'cluster-1', bootId: 'boot-1' };
const token = (name: string): MadeToken => ({
  ...{ token: name, merchant: 'shop-fr', orderId: `order-ü-${name}`, commandId: `command-${name}`, attempt: 1 },
});
const at = (ms: number, wallMs = ms): ClockReading => ({
  monotonicMs: 50_000 + ms,
  wallMs: 1_700_000_000_000 + wallMs,
});

/** One token that was sent and has no end, and one that was never sent. */
const LINES = [
  identityLine(OURS),
  madeLine(token('a'), at(0)),
  madeLine(token('b'), at(100)),
  sentLine('a', at(150)),
].join('');
const concluded = (lines: string, now: ClockReading, ours = OURS) => conclusionOf(Buffer.from(lines), ours, now);
const LATER = at(4_000);

it('concludes of tokens that were made and not sent that they never were', () => {
  expect(concluded(LINES, LATER)).toEqual({ of: 'never_sent', tokens: [token('b')] });
});

it('waits until the last token was made a send deadline and a second ago', () => {
  expect(concluded(LINES, at(3_099))).toEqual({ of: 'wait', ms: 1 });
  expect(concluded(LINES, at(3_100))).toMatchObject({ of: 'never_sent' });
});

it.each<[string, ClockReading, string]>([
  ['a second apart', at(4_000, 5_000), 'never_sent'],
  ['a second apart, the other way', at(4_000, 3_000), 'never_sent'],
  ['more than a second apart: the machine slept', at(4_000, 5_150), 'nothing'],
  ['more than a second apart: the date was set back', at(4_000, 2_999), 'nothing'],
  ['the monotonic clock stood still', at(4_000, 3_600_000), 'nothing'],
  ['from the future', { monotonicMs: 1_000, wallMs: 1_700_000_000_000 - 49_000 }, 'nothing'],
])('clocks %s', (_what, now, of) => {
  expect(concluded(LINES, now).of).toBe(of);
});

it('concludes nothing after a start of the machine', () => {
  expect(concluded(LINES, LATER, { ...OURS, bootId: 'boot-2' }).of).toBe('nothing');
});

it.each([
  ['another cluster', { clusterId: 'cluster-2' }],
  ['another prefix', { topicPrefix: 'other.' }],
])('leaves the ledger of %s alone', (_what, change) => {
  expect(concluded(LINES, LATER, { ...OURS, ...change }).of).toBe('foreign');
});

it('concludes nothing from a ledger that is cut anywhere but between two lines', () => {
  const bytes = Buffer.from(LINES);
  const whole = [...LINES.matchAll(/\n/g)].map(({ index }) => Buffer.byteLength(LINES.slice(0, index + 1)));
  for (let length = 0; length <= bytes.length; length++)
    if (!whole.includes(length))
      expect([length, conclusionOf(bytes.subarray(0, length), OURS, LATER).of]).toEqual([length, 'nothing']);
  expect(conclusionOf(bytes.subarray(0, whole[0]), OURS, LATER)).toEqual({ of: 'never_sent', tokens: [] });
});

it('concludes nothing where a byte is not what was written', () => {
  for (const [find, broken] of [
    ['"attempt":1', '"attempt":01'],
    ['"sent":"a"', '"sent":"x"'],
    ['"sent":"a"', '"sent": "a"'],
    ['"merchant"', '"Merchant"'],
    ['{"made":"b"', '{"made":"a"'],
    ['{"ledger":1', '{"ledger":2'],
    ['}\n', '}\n\n'],
    ['ü', '\u0000'],
  ] as const)
    expect([broken, concluded(LINES.replace(find, broken), LATER).of]).toEqual([broken, 'nothing']);
  const bytes = Buffer.from(LINES);
  bytes[LINES.indexOf('ü')] = 0xff;
  expect(conclusionOf(bytes, OURS, LATER).of).toBe('nothing');
  expect(concluded(LINES + sentLine('a', at(200)), LATER).of).toBe('nothing');
});
