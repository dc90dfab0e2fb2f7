import {
  answered,
  asked,
  askedUntagged,
  captured,
  notExecuted,
  notified,
  notifiedElsewhere,
} from '../../test/order-story.js';
import { Seeded } from '../../test/rules-lock/seeded.js';
import { fold } from './fold.js';
import {
  emptyOrder,
  EVENTS_KEPT,
  findOperation,
  REPORTS_KEPT,
  verdictOf,
  VERDICTS_KEPT,
  type OrderState,
} from './order-state.js';
import { encodeRecord, recordHash, type JournalRecord } from './records.js';

/** Folds the same records under versions 1, which keeps everything, and 2. What people and shops are told of each record. */
class BothVersions {
  readonly orders: [OrderState, OrderState] = [emptyOrder('shop-fr', 'order-1'), emptyOrder('shop-fr', 'order-1')];
  #offset = 0n;

  fold(record: JournalRecord): [all: string, kept: string] {
    this.#offset++;
    const hash = recordHash(encodeRecord(record));
    const [all, kept] = this.orders.map((before, at) => {
      const { order, effects } = fold(before, { ...record, rulesVersion: at + 1 }, this.#offset, () => hash);
      this.orders[at] = order;
      const verdict = record.record === 'INTENT' ? verdictOf(order, record.token) : record.record;
      return JSON.stringify([verdict, effects]);
    }) as [string, string];
    return [all, kept];
  }
}

const refundElsewhere = (n: number, execCode = '0000'): JournalRecord =>
  notifiedElsewhere('refund', execCode, { transactionId: `T-office-${n}`, amount: 10 });

const ATTEMPTS = process.env.NIGHTLY ? 10_000 : 1_000;

/** Three refunds, each of which can't be sent for hours, beside other commands, the back office, late answers, and INTENTs that come twice. */
function* attempts(random: Seeded, order: () => OrderState): Generator<JournalRecord> {
  yield* captured;
  // Two refunds of the back office, of each of which the other result is reported afterwards.
  for (const [n, execCode] of [
    [5, '0000'],
    [5, '4001'],
    [6, '4001'],
    [6, '0000'],
  ] as const)
    yield refundElsewhere(n, execCode);
  const recent: JournalRecord[] = [];
  for (let made = 0; made < ATTEMPTS; made++) {
    const name = `refund-${Math.floor((3 * made) / ATTEMPTS)}`;
    const { attempt = 1, phase } = findOperation(order(), name) ?? {};
    if (phase === 'ended') continue;
    const intent = asked(name, { attempt, amount: 100 });
    recent.push(intent);
    yield intent;
    if (random.chance(0.1)) yield asked('refund-other', { token: `other-${made}`, amount: 1 });
    if (random.chance(0.1)) yield asked(name, { attempt, token: `late-${made}`, amount: 100 });
    if (random.chance(0.1)) yield random.pick(recent.slice(-50));
    if (random.chance(0.01)) yield refundElsewhere(random.below(5), random.pick(['0000', '4001']));
    yield { ...notExecuted(name, attempt), reason: 'unreachable', execCode: undefined } as JournalRecord;
    // It was executed after all, as long ago as may be.
    if (attempt === Math.floor(0.33 * ATTEMPTS))
      yield answered(name, '0000', { amount: 100 }, 1 + random.below(attempt));
  }
  yield asked('refund-last', { amount: 30_000 });
}

it(`an order of ${ATTEMPTS} attempts stays small, and its shop is told what it was told`, () => {
  const versions = new BothVersions();
  const { orders } = versions;
  const differing: string[][] = [];
  const met = new Set<string>();
  let longest = 0;
  for (const record of attempts(new Seeded(Number(process.env.SIMULATED_SEED ?? 1)), () => orders[0])) {
    const [all, kept] = versions.fold(record);
    if (all !== kept) differing.push([all, kept]);
    for (const [word] of all.matchAll(/never_granted|granted|busy|lost|rejected|external|was_\w+/g)) met.add(word);
    longest = Math.max(longest, orders[1].verdicts.length);
  }
  expect(differing).toEqual([]);
  const verdicts = ['granted', 'busy', 'lost', 'rejected'];
  expect([...met].sort()).toEqual([...verdicts, 'external', 'was_idle', 'was_refused', 'was_succeeded'].sort());
  expect([longest, orders[0].verdicts.length > ATTEMPTS]).toEqual([VERDICTS_KEPT, true]);
  expect(JSON.stringify(orders[1]).length).toBeLessThan(30_000);
});

it(`an operation lists its newest ${EVENTS_KEPT} events, and each was told`, () => {
  const versions = new BothVersions();
  let told = 0;
  const reports = Array.from({ length: EVENTS_KEPT + 20 }, (_, n) => notified('capture', '0000', { answer: { amount: n + 1 } })); // prettier-ignore
  for (const record of [...captured, ...reports]) told += versions.fold(record)[1].match(/"type"/g)?.length ?? 0;
  expect(told).toBeGreaterThan(EVENTS_KEPT);
  for (const order of versions.orders) {
    const { events = [] } = findOperation(order, 'capture')!;
    expect([events.length, events.at(-1)?.offset]).toEqual([EVENTS_KEPT, order.lastOffset]);
  }
});

describe.each([
  ['made elsewhere', 'external', captured],
  ['that may be ours', 'unmatchedEvidence', [...captured, askedUntagged('refund', { amount: 10 })]],
] as const)('of operations %s', (_which, list, before) => {
  const reported = (count: number) => {
    const versions = new BothVersions();
    const fold = (record: JournalRecord): string[] => {
      const [, kept] = versions.fold(record);
      return [...kept.matchAll(/"type":"([^"]+)"/g)].map(([, type]) => type!);
    };
    for (const record of before) fold(record);
    for (let n = 0; n < count; n++) fold(refundElsewhere(n));
    return { versions, fold };
  };

  it('as many are kept as may be, and nothing else changes', () => {
    const { versions, fold } = reported(REPORTS_KEPT);
    expect(versions.orders.map((order) => [order[list].length, order.isFrozen])).toEqual(
      [1, 2].map(() => [REPORTS_KEPT, undefined]),
    );
    expect(fold(refundElsewhere(0))).toEqual([]);
  });

  it('one more is told and not kept, and nothing is sent for the order any more', () => {
    const { versions, fold } = reported(REPORTS_KEPT);
    expect(fold(refundElsewhere(REPORTS_KEPT))).toEqual(['payment.operation.external']);
    for (let n = 1; n < 20; n++) expect(fold(refundElsewhere(REPORTS_KEPT + n))).toHaveLength(1);
    const [all, kept] = versions.orders;
    expect([all[list].length, kept[list].length, kept.isFrozen]).toEqual([REPORTS_KEPT + 20, REPORTS_KEPT, true]);
    const [, refused] = versions.fold(asked('refund-next', { amount: 1 }));
    expect(refused).toMatch(
      /"rejected".*More than 200 operations.*"order_frozen"|"order_frozen".*More than 200 operations/,
    );
    expect(all.isFrozen).toBeUndefined();
  });
});
