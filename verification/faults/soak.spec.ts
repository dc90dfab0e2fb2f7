import type { OrderState } from '@tranche/order-journal';
import { cleanTraces } from '../test/referee-forged.js';
import { bookOf } from './referee-book.js';
import { refereeOf } from './referee.js';
import { BOUNDS, booksOf, recoveryOf, slopeOf, type Point, type TimedCommand } from './soak-figures.js';
import { SOAK_FAULTS, timetableOf } from './soak-plan.js';
import { reportOfSoak, tableOfSoak, type SoakFigures } from './soak-report.js';
import type { Traces } from './traces.js';

describe('the timetable', () => {
  it('has one fault in each minute, and time for its recovery', () => {
    const timetable = timetableOf(30, 1);
    expect(timetable.map(({ atMs }) => Math.floor(atMs / 60_000))).toEqual(Array.from({ length: 30 }, (_, at) => at));
    for (const { atMs } of timetable) expect(atMs % 60_000).toBeLessThanOrEqual(20_000);
  });

  it('is the same for a seed, and another one for another', () => {
    expect(timetableOf(16, 7)).toEqual(timetableOf(16, 7));
    const faultsOf = (seed: number) => timetableOf(16, seed).map(({ fault }) => fault);
    expect(faultsOf(7)).not.toEqual(faultsOf(8));
  });

  it.each([1, 2, 3])('plays each fault before one comes again, and keeps 1 to 3 gateways (seed %s)', (seed) => {
    const faults = timetableOf(32, seed).map(({ fault }) => fault);
    expect(faults.slice(8, 16).sort()).toEqual([...SOAK_FAULTS].sort());
    let gateways = 2;
    for (const fault of faults) {
      gateways += fault === 'join' ? 1 : fault === 'leave' ? -1 : 0;
      expect([1, 2, 3]).toContain(gateways);
    }
  });
});

/** A value at each sixth of a minute, that jumps at each minute as connections do at a fault. */
const minutes = (count: number, perMinute: number): Point[] =>
  Array.from({ length: count * 6 }, (_, at) => [at / 6, 100 + (perMinute * at) / 6 + (at % 6 === 0 ? 40 : 0)]);
const descriptors = (points: Point[]) => ({
  ...{ name: 'descriptors of payment-gateway 1', unit: 'per minute', points, bound: BOUNDS.descriptors },
});

describe('a slope', () => {
  it('does not count jumps, nor what lies before the warm-up', () => {
    expect(slopeOf(descriptors(minutes(20, 0)))).toMatchObject({ slope: 0, isAbove: false });
    const warmUp = Array.from({ length: 60 }, (_, at): Point => [at / 60, at * 2]);
    const warming = [...warmUp, ...minutes(4, 0).map(([x, y]): Point => [x + 1, y])];
    expect(slopeOf(descriptors(warming))).toMatchObject({ slope: 0, isAbove: false });
  });

  it('is above its bound if it is steep and has risen by more than the noise', () => {
    expect(slopeOf(descriptors(minutes(30, 2)))).toMatchObject({ slope: expect.closeTo(2) as number, isAbove: true });
    expect(slopeOf(descriptors(minutes(20, 0.5)))).toMatchObject({ isAbove: false });
    expect(slopeOf(descriptors(minutes(8, 2)))).toMatchObject({ isAbove: false });
  });

  it('is not known of a short life', () => {
    expect(slopeOf(descriptors(minutes(3, 50)))).toEqual({
      name: expect.any(String) as string,
      ...{ unit: 'per minute', from: 140, to: expect.any(Number) as number, isAbove: false },
    });
  });
});

/** Ten commands a second for a minute. Those that `isSlow` says take four seconds. */
const commandsOf = (isSlow: (second: number) => boolean): TimedCommand[] =>
  Array.from({ length: 600 }, (_, at) => ({
    sentAtMs: at * 100,
    answeredAtMs: at * 100 + (isSlow(Math.floor(at / 10)) ? 4_000 : 50),
  }));
const fault = { fault: 'freeze', detail: 'SIGSTOP', atMs: 15_000, beganMs: 15_000, endedMs: 20_000 } as const;

it('counts the recovery to five seconds that are good', () => {
  const recovery = (isSlow: (second: number) => boolean) => recoveryOf(fault, commandsOf(isSlow), 60_000);
  expect(recovery((second) => second >= 15 && second < 20)).toBe(0);
  expect(recovery((second) => second >= 15 && second < 27)).toBe(7);
  expect(recovery((second) => second >= 15 && second % 4 === 0)).toBeUndefined();
});

it('measures the recovery by how slow the machine was before, unless that is too slow', () => {
  const all = commandsOf(() => true);
  expect(recoveryOf(fault, all, 60_000)).toBe(0);
  const stuck = all.map((one) => ({ ...one, answeredAtMs: one.sentAtMs + 11_000 }));
  expect(recoveryOf(fault, stuck, 60_000)).toBeUndefined();
});

const states = (traces: Traces): Map<string, OrderState> =>
  new Map([...bookOf(traces).orders].map(([key, { order }]) => [key, order]));
const booksIn = (traces: Traces, rows = states(traces)) => booksOf(bookOf(traces).orders.values(), rows);

describe('the books', () => {
  it('are equal in clean traces', () => {
    const { orders, captured, inDoubt, differences } = booksIn(cleanTraces());
    expect({ inDoubt, differences }).toEqual({ inDoubt: 0, differences: [] });
    expect(Math.min(orders, captured)).toBeGreaterThan(0);
  });

  it('differ if operations has lost an order, or shows it as it was', () => {
    const traces = cleanTraces();
    const rows = states(traces);
    const [key, order] = [...rows].find(([, { operations }]) => operations.length > 1)!;
    rows.set(key, { ...order, operations: order.operations.slice(0, 1) });
    expect(booksIn(traces, rows).differences).toEqual([expect.stringContaining(`${key}: operations shows`)]);
    rows.delete(key);
    expect(booksIn(traces, rows).differences).toEqual([expect.stringContaining('operations shows nothing')]);
  });

  it('differ if the platform moved another amount', () => {
    const traces = cleanTraces();
    traces.ledger.operations.find(({ operationType }) => operationType === 'capture')!.amount += 1;
    expect(booksIn(traces).differences).toEqual([expect.stringContaining('the ledger has')]);
  });
});

function figures(overrides: Partial<SoakFigures> = {}, traces = cleanTraces()): SoakFigures {
  const commands = commandsOf((second) => second >= 15 && second < 22);
  const slot = { verdict: refereeOf(traces), books: booksIn(traces), commands, isMeasured: true };
  return {
    ...{ seed: 7, minutes: 1, wanted: 10, capacity: 17, beganMs: 0, endsMs: 60_000, slots: [slot] },
    ...{ faults: [fault], measured: [descriptors(minutes(20, 0))], troubles: [] },
    ...overrides,
  };
}

describe('the verdict', () => {
  it('is good if all was kept', () => {
    const report = reportOfSoak(figures());
    expect(report).toMatchObject({
      ...{ broken: [], executedTwice: 0, lost: 0, books: { differ: 0 } },
      commandsPerSecond: { answered: 10, wanted: 10, capacity: 17 },
      answerMsWithoutFaults: { p50: 50, p99: 50 },
      answerMs: { p50: 50, p99: 4_000 },
      faults: { 'minute 0.25, freeze': { seconds: 5, recoverySeconds: 2 } },
    });
    expect(tableOfSoak(report, true)).toContain(
      '| minute 0.25, freeze | detail SIGSTOP, seconds 5, recoverySeconds 2 |',
    );
  });

  it('names a leak of descriptors', () => {
    const report = reportOfSoak(figures({ measured: [descriptors(minutes(20, 2))] }));
    expect(report.broken).toEqual(['descriptors of payment-gateway 1: 2 per minute']);
    expect(tableOfSoak(report, false)).toContain('again: npm run faults -- --soak 1 --rate 10 --seed 7');
  });

  it('names a long soak that measured too little', () => {
    const measured = [3, 3, 3, 3, 20].map((length) => descriptors(minutes(length, 0)));
    expect(reportOfSoak(figures({ measured })).broken).toEqual([]);
    expect(reportOfSoak(figures({ measured: measured.slice(1), minutes: 30 })).broken).toEqual([]);
    const [said] = reportOfSoak(figures({ measured, minutes: 30 })).broken;
    expect(said).toContain('only 1 of 5 slopes were measured');
  });

  it('names a command that was lost, and an operation that was executed twice', () => {
    const traces = cleanTraces();
    traces.commandTopic.splice(3, 1);
    traces.ledger.operations.push({ ...traces.ledger.operations[1]!, transactionId: 'C2' });
    const { broken, lost, executedTwice } = reportOfSoak(figures({}, traces));
    expect([lost, executedTwice]).toEqual([1, 1]);
    expect(broken).toEqual(expect.arrayContaining([expect.stringContaining('c4 was acknowledged')]));
  });

  it('names a rate that was not held, a fault without recovery, and what could not be judged', () => {
    expect(reportOfSoak(figures({ wanted: 13 })).broken).toEqual(['only 10 commands a second were answered']);
    expect(reportOfSoak(figures({ faults: [{ ...fault, endedMs: 57_000 }] })).broken).toEqual([
      'no recovery from freeze',
    ]);
    expect(reportOfSoak(figures({ troubles: ['operations ended with 1'] })).broken).toEqual([
      'operations ended with 1',
    ]);
  });
});
