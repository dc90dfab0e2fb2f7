import type { Entry } from './entry.js';
import { layoutOf } from './layout.js';

const BEGAN = Date.parse('2027-03-01T03:00:00Z');
const entry = (offset: number, seconds: number, record: object, changed: string[] = []): Entry =>
  ({
    ...{ topic: 'payments.journal.v1', partition: 0, offset: String(offset), changed },
    ...{
      at: new Date(BEGAN + seconds * 1_000).toISOString(),
      kind: (record as { record: string }).record,
      body: record,
    },
  }) as unknown as Entry;

const OF = { commandId: 'c', attempt: 1, currency: 'EUR' };
const intent = entry(0, 0, { ...OF, record: 'INTENT', operation: 'capture', amount: 25_000 });
const doubt = entry(1, 30, { ...OF, record: 'IN_DOUBT', reason: 'timeout' }, ['operations.c.phase']);
const report = entry(2, 3_600, { ...OF, record: 'EVIDENCE', source: 'notification', result: 'succeeded' }, ['operations.c.phase']); // prettier-ignore
const nothing = new Set<string>();

it('a call is a bar from its INTENT to what ended it, and the shop asked for it', () => {
  const { marks, lanes } = layoutOf([intent, doubt], [], nothing, BEGAN + 60_000);
  const sent = marks.find(({ lane }) => lane === 'sent');
  expect(sent?.endX).toBe(marks.find(({ lane }) => lane === 'back')?.x);
  expect(marks.find(({ lane }) => lane === 'asked')?.label).toBe('capture 250.00 EUR');
  expect(lanes).toEqual(['asked', 'sent', 'back']);
});

it('a call that is under way lasts until now, and one that was never granted is no bar', () => {
  const sent = (underWay: Set<string>) => {
    const { marks, nowX } = layoutOf([intent], [], underWay, BEGAN + 60_000);
    return { endX: marks.find(({ lane }) => lane === 'sent')?.endX, nowX };
  };
  const going = sent(new Set(['c 1']));
  expect(going.endX).toBe(going.nowX);
  expect(sent(nothing).endX).toBeUndefined();
});

it('a doubt lasts until the record that ended it, else until now', () => {
  const ended = layoutOf([intent, doubt, report], [], nothing, BEGAN + 7_200_000);
  expect(ended.spans).toMatchObject([{ tone: 'doubt', endX: ended.marks.find(({ lane }) => lane === 'reports')?.x }]);
  const open = layoutOf([intent, doubt], [], nothing, BEGAN + 60_000);
  expect(open.spans).toMatchObject([{ endX: open.nowX }]);
});

it('time goes from left to right, a deadline that is still to come is right of now, and one that is past is left out', () => {
  const now = BEGAN + 4_000_000;
  const deadlines = [
    { says: 'act by', atMs: now + 86_400_000 },
    { says: 'past', atMs: now - 1 },
  ];
  const { marks, nowX } = layoutOf([intent, doubt, report], deadlines, nothing, now);
  const xs = marks.map(({ x }) => x);
  expect(xs).toEqual([...xs].sort((one, other) => one - other));
  expect(marks.filter(({ isAhead }) => isAhead)).toMatchObject([{ label: 'act by' }]);
  expect(marks.at(-1)!.x).toBeGreaterThan(nowX);
});

it('marks of one lane never lie on each other, and days take no more room than a screen', () => {
  const many = Array.from({ length: 20 }, (_, index) =>
    entry(index, index < 10 ? 0 : index * 86_400, { ...OF, record: 'REMINDED', reminder: 'capture_window' }),
  );
  const { marks, width } = layoutOf(many, [], nothing, BEGAN + 30 * 86_400_000);
  const xs = marks.map(({ x }) => x);
  expect(Math.min(...xs.slice(1).map((x, index) => x - xs[index]!))).toBeGreaterThan(20);
  expect(width).toBeLessThan(20 * 200);
});
