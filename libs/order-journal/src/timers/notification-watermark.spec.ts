import { JOURNAL_PARTITIONS } from '../journal/ports.js';
import { NotificationWatermark, type NotificationOffsets } from './notification-watermark.js';

function watermark() {
  const told: string[] = [];
  const log = (fields: object, message: string) => void told.push(`${JSON.stringify(fields)} ${message}`);
  return { told, watermark: new NotificationWatermark({ debug: log, info: log, warn: log, error: log }) };
}

/** As many partitions, all read to their end but these. */
const offsets = (changed: Record<number, readonly [next: bigint, end: bigint]> = {}, size = JOURNAL_PARTITIONS) =>
  new Map<number, NotificationOffsets>(
    Array.from({ length: size }, (_, partition) => {
      const [next, end] = changed[partition] ?? [5n, 5n];
      return [partition, { next, end }];
    }),
  );

it('judges nothing before the offsets were asked for once', () => {
  expect(watermark().watermark.untilMs(3)).toBe(-Infinity);
});

it('a partition that is read to its end is judged as of the time before it was asked', () => {
  const { watermark: notifications } = watermark();
  notifications.looked(1_000, offsets());
  expect(notifications.untilMs(3)).toBe(1_000);
});

it('a partition that is not read to its end is judged from then on as of the time at which it had that end', () => {
  const { watermark: notifications } = watermark();
  const seen = [];
  for (const [atMs, next, end] of [
    [1_000, 2n, 7n],
    [2_000, 6n, 9n],
    [3_000, 7n, 12n],
    [4_000, 11n, 15n],
    [5_000, 12n, 15n],
    [6_000, 15n, 15n],
  ] as const) {
    // prettier-ignore
    notifications.looked(atMs, offsets({ 3: [next, end] }));
    seen.push(notifications.untilMs(3));
  }
  expect(seen).toEqual([-Infinity, -Infinity, 1_000, 1_000, 3_000, 6_000]);
});

it('of twelve partitions, one that is not read holds up its own orders only', () => {
  const { watermark: notifications } = watermark();
  notifications.looked(1_000, offsets({ 3: [2n, 7n] }));
  expect([notifications.untilMs(3), notifications.untilMs(4)]).toEqual([-Infinity, 1_000]);
});

it.each([JOURNAL_PARTITIONS - 1, JOURNAL_PARTITIONS + 1, 2 * JOURNAL_PARTITIONS])(
  'of %i partitions, one that is not read holds up all orders',
  (size) => {
    const { watermark: notifications } = watermark();
    notifications.looked(1_000, offsets({}, size));
    notifications.looked(2_000, offsets({ [size - 1]: [5n, 7n] }, size));
    expect([0, 11].map((partition) => notifications.untilMs(partition))).toEqual([1_000, 1_000]);
  },
);

it('a topic that was made anew is waited for to its new end', () => {
  const { watermark: notifications } = watermark();
  notifications.looked(1_000, offsets({ 3: [2n, 70n] }));
  notifications.looked(2_000, offsets({ 3: [0n, 4n] }));
  notifications.looked(3_000, offsets({ 3: [4n, 6n] }));
  expect(notifications.untilMs(3)).toBe(2_000);
});

it('says once after a minute for which partitions timers wait, and when they wait no more', () => {
  const { watermark: notifications, told } = watermark();
  const lookAndTell = (ms: number, changed: Parameters<typeof offsets>[0] = {}) => {
    notifications.looked(ms, offsets(changed));
    notifications.tell(ms);
    return told.length;
  };
  const unread = { 3: [2n, 7n], 8: [0n, 1n] } as const;
  expect(lookAndTell(1_000, { ...unread })).toBe(0);
  expect(lookAndTell(61_000, { ...unread })).toBe(0);
  expect(lookAndTell(61_001, { ...unread })).toBe(1);
  expect(lookAndTell(62_000, { 3: [6n, 90n] })).toBe(1);
  expect(told[0]).toContain('Partitions 3, 8 of the notifications have not been read to the end');
  expect([2, 3].map((partition) => notifications.waitsMs(62_000).get(partition))).toEqual([0, 61_000]);
  expect(lookAndTell(63_000, { 3: [7n, 90n] })).toBe(2);
  expect(told[1]).toContain('Timers wait for notifications no more');
});
