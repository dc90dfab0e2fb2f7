import fc from 'fast-check';
import type { PlatformAnswer } from '@tranche/contracts';
import {
  answered,
  asked,
  askedUntagged,
  expired,
  folded,
  lost,
  notExecuted,
  notified,
  notifiedElsewhere,
  operatorSays,
  type FoldedStory,
} from '../../test/order-story.js';
import { findOperation, type EventBody, type OperationState, type OrderState, verdictOf } from './order-state.js';
import type { EvidenceRecord, Intent, JournalRecord } from './records.js';

/**
 * All orders of arrival of {answer, notification, the same once more, a late one with another code, an operator's word, the expiry}, and
 * of {no answer, the answer that nothing was executed, two notifications, an operator's word, a notification of somebody else's}, for every
 * kind of operation and every phase to begin with. The model knows only who said what of the money: where all that counts agrees, every
 * order must end alike; where it does not, in a conflict that names both words. What carries no tag and may be the back office's settles
 * nothing. No second payment is granted beside one that somebody said took money, and no two events have one id.
 */
type Kind = 'authorize' | 'pay' | 'capture' | 'refund' | 'void';
type Money = 'moved' | 'moved in part' | 'not moved';
type Phase = 'open' | 'in_doubt' | 'redirect_required' | 'pending' | 'second attempt';

interface Report {
  name: string;
  record: JournalRecord;
  /** The word's message about the money; absent where it is not final. */
  says?: Money;
  /** May stand because of it, but never unseen against the platform's word: an operator's, or "already done" before there was a doubt. */
  mayMean?: Money;
}

const KINDS: Kind[] = ['authorize', 'pay', 'capture', 'refund', 'void'];
const CODES: Record<string, Money | undefined> = {
  ...{ '0000': 'moved', '0004': 'moved in part', '4001': 'not moved', '5001': 'not moved', '2005': undefined },
  ...{ '0001': undefined, '0002': undefined, '0003': undefined, '5004': undefined },
};
/** The first ones for what carries no tag, too. */
const LATE_CODES = ['4001', '0000', '0003', '0004', '5001', '2005'];
const AMOUNT = { '0000': 30_000, '0004': 9000 } as Record<string, number>;

const isPayment = (kind: Kind) => kind === 'authorize' || kind === 'pay';
const said = (code: string) => ({ amount: AMOUNT[code] });

/** The records before, and the attempt that all words are about. */
function beginning(
  kind: Kind,
  phase: Phase,
  isTagged: boolean,
): { records: JournalRecord[]; attempt: number } | undefined {
  const authorized = [asked('authorize-0'), answered('authorize-0', '0000', { transactionId: 'T-authorize' })];
  const captured = [
    ...authorized,
    asked('capture-0'),
    answered('capture-0', '0000', { transactionId: 'T-capture', amount: 90_000 }),
  ];
  const before = isPayment(kind) ? [] : kind === 'refund' ? captured : authorized;
  const ask = (change: Partial<Intent> = {}) =>
    isTagged ? asked(kind, { amount: 30_000, ...change }) : askedUntagged(kind, { amount: 30_000, ...change });
  if (!isPayment(kind) && (phase === 'redirect_required' || phase === 'pending')) return undefined;
  switch (phase) {
    case 'open':
      return { records: [...before, ask()], attempt: 1 };
    case 'in_doubt':
      return { records: [...before, ask(), lost(kind)], attempt: 1 };
    case 'redirect_required':
      return { records: [...before, ask(), answered(kind, '0002')], attempt: 1 };
    case 'pending':
      return { records: [...before, ask(), answered(kind, '0003')], attempt: 1 };
    case 'second attempt':
      return { records: [...before, ask(), notExecuted(kind), ask({ attempt: 2 })], attempt: 2 };
  }
}

const FOREIGN = 'somebody else’s';

function reportsOf(
  kind: Kind,
  phase: Phase,
  isTagged: boolean,
  attempt: number,
  truth: string,
  late: string,
  operator: EvidenceRecord['result'],
): { reports: Report[]; others: Report[] } {
  const notification = (code: string): JournalRecord => {
    const { tag, ...untagged } = notified(kind, code, { attemptTagged: attempt, answer: said(code) });
    return isTagged && tag ? { ...untagged, tag } : untagged;
  };
  const heard = notification(truth);
  // "Not executed" says nothing of what a cardholder or a provider has in hand.
  const waits = phase === 'redirect_required' || phase === 'pending';
  const reports: Report[] = [
    { name: `notification ${truth}`, record: heard, says: CODES[truth] },
    { name: 'duplicate', record: heard, says: CODES[truth] },
    {
      name: `late ${late}`,
      record: notification(late),
      ...(waits && late === '5001' ? {} : { says: CODES[late] }),
      ...(late === '2005' ? { mayMean: 'not moved' } : {}),
    },
    {
      name: `operator ${operator}`,
      record: operatorSays(kind, operator, {}, attempt),
      mayMean: operator === 'succeeded' ? 'moved' : 'not moved',
    },
    { name: 'expiry', record: expired(kind, attempt) },
  ];
  if (waits) return { reports, others: [] };
  const isPending = late === '0003';
  const others: Report[] = [
    ...reports.filter(({ name }) => name !== 'duplicate' && name !== 'expiry'),
    { name: 'no answer', record: lost(kind, attempt) },
    {
      name: 'not executed',
      record: notExecuted(kind, attempt),
      ...(isPending ? { mayMean: 'not moved' } : { says: 'not moved' }),
    },
    { name: FOREIGN, record: notifiedElsewhere(kind, '0000', { transactionId: 'T-foreign', amount: 777 }) },
  ];
  reports.push({ name: `answer ${truth}`, record: answered(kind, truth, said(truth), attempt), says: CODES[truth] });
  return { reports, others };
}

/** Every arrangement of the words and of any part of them, each once; two that are alike are not after apart. What two have in common is folded once. */
function* arrangements(
  reports: readonly Report[],
  so: FoldedStory,
  story: readonly Report[] = [],
): Generator<{ after: FoldedStory; story: readonly Report[] }> {
  if (story.length > 0) yield { after: so, story };
  const first = reports.filter((report, at) => reports.findIndex((other) => other.record === report.record) === at);
  for (const report of first) {
    const rest = reports.toSpliced(reports.indexOf(report), 1);
    yield* arrangements(rest, afterReport(so, report), [...story, report]);
  }
}

function afterReport(so: FoldedStory, { record }: Report): FoldedStory {
  const { order, events, bodies, ids } = folded([record], so.order);
  return { order, events: [...so.events, ...events], bodies: [...so.bodies, ...bodies], ids: [...so.ids, ...ids] };
}

/** The money's place by the fold. An operation between two attempts ends as given up: no process runs it here. */
function moneyOf(operation: OperationState | undefined): Money | 'undecided' {
  if (operation?.phase === 'idle') return 'not moved';
  if (operation?.phase !== 'ended') return 'undecided';
  if (operation.end !== 'succeeded') return 'not moved';
  return operation.partial ? 'moved in part' : 'moved';
}

const isSecondGranted = (order: OrderState): boolean =>
  verdictOf(folded([asked('authorize-9')], order).order, 'authorize-9#1') === 'granted';

/** An attempt more beside a success that was reported and may be ours: then it could be executed twice. */
function isTriedAgain(kind: Kind, order: OrderState, story: readonly Report[]): boolean {
  const operation = findOperation(order, kind);
  if (operation?.phase !== 'idle' || !story.some(({ says, name }) => says?.startsWith('moved') && name !== FOREIGN))
    return false;
  const { attempt } = operation;
  const again = asked(kind, { amount: 30_000, attempt });
  return verdictOf(folded([again], order).order, again.token) === 'granted';
}

/** Undefined where the fold is right. */
function mistake(
  kind: Kind,
  { order, events, bodies, ids }: FoldedStory,
  story: readonly Report[],
): string | undefined {
  const operation = findOperation(order, kind);
  const money = moneyOf(operation);
  const says = new Set(story.flatMap((report) => report.says ?? []));
  if (isTriedAgain(kind, order, story))
    return `${story.map(({ name }) => name).join(', ')}: tried again beside a success`;
  const foreign = story.some(({ name }) => name === FOREIGN) ? 1 : 0;
  const mayBe = new Set([...says, ...story.flatMap((report) => report.mayMean ?? [])]);
  // A payment of the back office beside ours is a conflict of its own.
  const isOfForeign = ({ flags = [] }: EventBody) => foreign > 0 && flags.join() === 'two_payments_succeeded';
  const conflicts = bodies.filter((body, at) => events[at] === 'conflict.detected' && !isOfForeign(body));
  const ofOurs = conflicts.filter(({ commandId }) => commandId !== undefined);
  // Without a tag and an answer nobody knows yet whose word it was; nor while one of two attempts is in doubt.
  const { phase, attempts = [] } = operation ?? {};
  const isUnknown = phase === 'open' || (phase === 'in_doubt' && attempts.length > 1);
  const waitsForAnswer = isUnknown && attempts.some(({ isTagged }) => !isTagged);
  const found = (what: string) => `${story.map(({ name }) => name).join(', ')}: ${money}, ${what}`;
  if (new Set(ids).size < ids.length) return found('two events with one id');
  if (isPayment(kind) && (says.has('moved') || says.has('moved in part')) && isSecondGranted(order))
    return found('and a second one is granted');
  const isNamed = story.some(({ record }) => record.record === 'OUTCOME');
  if (!isPayment(kind) && !isNamed && attempts.some(({ isTagged }) => !isTagged)) {
    const mistaken = mistakeOfUnnamed(order, money, story, ofOurs.length);
    return mistaken && found(mistaken);
  }
  if (says.size === 0 || waitsForAnswer) return undefined;
  if (order.unmatchedEvidence.length > 0 || order.external.length !== foreign)
    return found('something of it is held for another operation');
  if (says.size === 1 && !says.has(money as Money) && conflicts.length === 0)
    return found('which the platform denies, and nobody is after');
  if (says.size > 1 && conflicts.length === 0) return found('the platform contradicts itself, and nobody is after');
  if (!mayBe.has(money as Money)) return found('which nobody said');
  // A void names no amount.
  const amounts = kind === 'void' ? {} : { moved: 30_000, 'moved in part': 9000 };
  const wrongAmount = money !== 'not moved' && operation?.amount !== amounts[money as keyof typeof amounts];
  if (wrongAmount) return found(`but ${operation?.amount}`);
  // An operation that was taken for the back office's has a conflict of its own, which names one word.
  const names = ofOurs.map(
    ({ flags = [], execCode, transactionId }) => `${flags.toSorted().join(' ')} ${execCode} ${transactionId}`,
  );
  if (names.some((name) => !/^said_.* was_/.test(name))) return found('a conflict does not name both words');
  if (new Set(names).size < names.length) return found('a conflict is after twice');
  return undefined;
}

/**
 * Without a tag, and without the answer that names the TRANSACTIONID, any notification may be the back office's: only an operator and "not executed"
 * say where our money is. What was notified is a candidate while ours may have been executed, else an operation made elsewhere: kept once, none lost.
 */
function mistakeOfUnnamed(
  order: OrderState,
  money: string,
  story: readonly Report[],
  conflicts: number,
): string | undefined {
  const isHeard = ({ record }: Report) => record.record === 'EVIDENCE' && record.source !== 'operator';
  const own = story.filter((report) => !isHeard(report));
  const means = own.flatMap(({ says, mayMean }) => says ?? mayMean ?? []);
  if (money !== 'undecided' && !means.includes(money as Money)) return 'which only the back office can have said';
  const heard = story.filter(isHeard).flatMap(({ record }) => ('answer' in record ? [record.answer] : []));
  const nameOf = ({ transactionId, execCode }: PlatformAnswer) => `${transactionId} ${execCode}`;
  const kept = [...order.unmatchedEvidence.map(({ answer }) => answer), ...order.external].map(nameOf).toSorted();
  if (kept.join() !== [...new Set(heard.map(nameOf))].toSorted().join()) return 'what was notified is not kept once';
  if (money === 'not moved' && order.unmatchedEvidence.length > 0)
    return 'a candidate is held though ours was not executed';
  return conflicts > 0 && own.length < 2 ? 'a conflict with what may be another one' : undefined;
}

const PHASES: Phase[] = ['open', 'in_doubt', 'redirect_required', 'pending', 'second attempt'];
const TRUTHS = ['0000', '0004', '4001'];
const OPERATORS: EvidenceRecord['result'][] = ['succeeded', 'refused', 'not_executed'];
/** `npm test` takes every sixth late code, another one for each first code and each kind; `npm run test:all` takes all of them. */
const isDrawn = (late: string, at: number, kind: Kind): boolean =>
  process.env.NIGHTLY !== undefined || (LATE_CODES.indexOf(late) + at + KINDS.indexOf(kind)) % 6 === 0;
let tried = 0;
let wrong = 0;

afterAll(() => console.log(`permutations: ${tried.toLocaleString('en')} tried, ${wrong} wrong`));

const cases = KINDS.flatMap((kind) =>
  PHASES.flatMap((phase) => (beginning(kind, phase, true) ? [[kind, phase] as const] : [])),
);

it.each(cases)('%s, %s: every order of arrival ends alike, or in a conflict that names both', (kind, phase) => {
  const mistakes: string[] = [];
  for (const isTagged of kind === 'pay' ? [false] : [true, false])
    for (const [at, truth] of TRUTHS.entries())
      for (const late of isTagged ? LATE_CODES : LATE_CODES.slice(0, 3)) {
        const begun = beginning(kind, phase, isTagged);
        if (begun === undefined || late === truth || !isDrawn(late, at, kind)) continue;
        const operator = OPERATORS[(at + LATE_CODES.indexOf(late)) % OPERATORS.length] ?? 'succeeded';
        const { reports, others } = reportsOf(kind, phase, isTagged, begun.attempt, truth, late, operator);
        for (const set of LATE_CODES.indexOf(late) < 3 ? [reports, others] : [reports])
          for (const { after, story } of arrangements(set, folded(begun.records))) {
            tried++;
            const found = mistake(kind, after, story);
            if (found !== undefined) mistakes.push(`${isTagged ? 'tagged' : 'untagged'}: ${found}`);
          }
      }
  wrong += mistakes.length;
  expect(mistakes.slice(0, 5)).toEqual([]);
});

it('so does any mix of them, of any length', () => {
  const mix = fc
    .record({
      kind: fc.constantFrom(...KINDS),
      phase: fc.constantFrom(...PHASES),
      wantsTag: fc.boolean(),
      truth: fc.constantFrom(...TRUTHS),
      lates: fc.uniqueArray(fc.constantFrom(...LATE_CODES), { minLength: 1, maxLength: 3 }),
      operators: fc.uniqueArray(fc.constantFrom(...OPERATORS), { minLength: 1 }),
    })
    .chain(({ kind, phase, wantsTag, truth, lates, operators }) => {
      const isTagged = wantsTag && kind !== 'pay';
      const begins = beginning(kind, phase, isTagged) ? phase : 'open';
      const { records = [], attempt = 1 } = beginning(kind, begins, isTagged) ?? {};
      const reports = lates.flatMap((late) =>
        operators.flatMap((operator) => reportsOf(kind, begins, isTagged, attempt, truth, late, operator).reports),
      );
      return fc.record({
        kind: fc.constant(kind),
        records: fc.constant(records),
        story: fc.shuffledSubarray(reports, { minLength: reports.length }),
      });
    });
  fc.assert(
    fc.property(mix, ({ kind, records, story }) => {
      tried++;
      const found = mistake(kind, folded([...records, ...story.map(({ record }) => record)]), story);
      if (found !== undefined) wrong++;
      expect(found).toBeUndefined();
    }),
    { numRuns: process.env.NIGHTLY ? 500 : 150, seed: 7 },
  );
});
