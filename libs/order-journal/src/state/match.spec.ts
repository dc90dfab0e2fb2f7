import {
  answered,
  asked,
  askedUntagged,
  authorized,
  captured,
  folded,
  lost,
  notExecuted,
  notified,
  notifiedElsewhere,
  operatorSays,
  under,
} from '../../test/order-story.js';
import { operationTag } from './extradata-tag.js';
import {
  callWithoutIntent,
  isLeftOut,
  isSameReport,
  leftOut,
  matchAgain,
  matchDoubt,
  matchEvidence,
  matchTold,
  mayBeExecuted,
  possibleSources,
  type Match,
} from './match.js';
import { findOperation, VERDICTS_KEPT, type Evidence, type OperationState, type OrderState } from './order-state.js';
import type { EvidenceRecord, JournalRecord } from './records.js';

const orderOf = (...records: JournalRecord[]): OrderState => folded(records).order;
/** The order under rules version 2. */
const order2 = (...records: JournalRecord[]): OrderState => folded(under(2, ...records)).order;
const untagged = (name: string, execCode: string, change: Parameters<typeof notified>[2] = {}): Evidence => {
  const { tag: _tag, ...rest } = notified(name, execCode, change);
  return rest as Evidence;
};
const elsewhere = (operation: string, execCode: string, transactionId?: string, amount?: number) =>
  notifiedElsewhere(operation, execCode, { transactionId, amount }) as Evidence;
/** The gateway was answered this, about this attempt and token. */
const answer = (name: string, result: string, attempt = 1, token = `${name}#${attempt}`): Evidence =>
  ({ source: 'answer', commandId: name, attempt, token, result, answer: { transactionId: `T-${name}` } }) as Evidence;

/** `matched capture 1`, `elsewhere`, `elsewhere, may be ours of refund`. */
function shown(match: Match): string {
  if (match.is === 'matched') return `matched ${match.operation.commandId} ${match.attempt}`;
  if (match.is === 'current' || match.is === 'late' || match.is === 'closed')
    return `${match.is} ${match.operation.commandId}`;
  if (match.is === 'denied')
    return `denied ${match.sources.map(({ operation, attempt }) => `${operation.commandId} ${attempt.attempt}`).join()}`;
  if (match.is !== 'elsewhere') return match.is;
  const of = match.mayBeOf ? ` of ${match.mayBeOf.join()}` : '';
  return `elsewhere${match.mayBeOurs ? `, may be ours${of}` : ''}`;
}
type Reported = Evidence | EvidenceRecord;
const of = (order: OrderState, evidence: Reported): string => shown(matchEvidence(order, evidence as Evidence));

describe('an answer is of the attempt that has its token', () => {
  const open = [asked('authorize')];
  const settledLate = [...captured, asked('refund'), notExecuted('refund'), notified('refund', '0000')];
  it.each<[string, JournalRecord[], Reported, string]>([
    ['which is open', open, answer('authorize', 'succeeded'), 'current authorize'],
    ['which is in doubt', [...open, lost('authorize')], answer('authorize', 'refused'), 'current authorize'],
    ['which has ended', authorized, answer('authorize', 'refused'), 'late authorize'],
    [
      'which has ended, and says that it was not executed',
      authorized,
      answer('authorize', 'not_executed'),
      'late authorize',
    ],
    ['which was closed', [...open, notExecuted('authorize')], answer('authorize', 'succeeded'), 'closed authorize'],
    [
      'which was closed, and says so again',
      [...open, notExecuted('authorize')],
      answer('authorize', 'not_executed'),
      'known',
    ],
    ['which was closed and executed after all', settledLate, answer('refund', 'succeeded'), 'late refund'],
    ['of another attempt, and says that it was not executed', open, answer('authorize', 'not_executed', 2), 'known'],
    ['of another token', open, answer('authorize', 'succeeded', 1, 'of nobody'), 'unauthorized'],
    ['of no operation', open, answer('pay', 'succeeded'), 'unauthorized'],
    ['of no operation, and says that it was not executed', open, answer('pay', 'not_executed'), 'known'],
  ])('%s', (_what, records, evidence, expected) => expect(of(orderOf(...records), evidence)).toBe(expected));

  it('and one of an older attempt is of the attempt that is not kept, if its verdict was', () => {
    const order = orderOf(
      asked('authorize', { attempt: 1 }),
      notExecuted('authorize'),
      asked('authorize', { attempt: 2 }),
    );
    const [operation] = order.operations;
    const forgotten = { ...order, operations: [{ ...operation!, attempts: operation!.attempts.slice(1) }] };
    expect(of(forgotten, answer('authorize', 'succeeded', 1))).toBe('closed authorize');
    expect(of(forgotten, answer('authorize', 'succeeded', 1, 'of nobody'))).toBe('unauthorized');
    expect(of(forgotten, answer('authorize', 'succeeded', 3, 'authorize#1'))).toBe('unauthorized');
    const full = Array.from({ length: VERDICTS_KEPT }, (_, n) => [`busy#${n}`, 'busy'] as [string, 'busy']);
    const bounded = { ...forgotten, verdicts: full, rulesVersion: 2 };
    expect(of(bounded, answer('authorize', 'succeeded', 1))).toBe('closed authorize');
    expect(of({ ...bounded, verdicts: full.slice(1) }, answer('authorize', 'succeeded', 1))).toBe('unauthorized');
    expect(of({ ...bounded, rulesVersion: 1 }, answer('authorize', 'succeeded', 1))).toBe('unauthorized');
    expect(
      of({ ...bounded, verdicts: [...full.slice(1), ['authorize#1', 'busy']] }, answer('authorize', 'succeeded', 1)),
    ).toBe('unauthorized');
  });

  it('or its number, where a snapshot kept no tokens', () => {
    const order = orderOf(...authorized);
    const [operation] = order.operations;
    const attempts = operation!.attempts.map((one) => ({ ...one, token: '' }));
    const operations = [{ ...operation!, attempts, token: 'x' }] as OperationState[];
    const atRest = { ...order, operations, verdicts: [], snapshotAt: '2026-03-01T11:00:00.000Z' };
    expect(of(atRest, answer('authorize', 'refused'))).toBe('known');
    expect(of(atRest, answer('authorize', 'refused', 2))).toBe('unauthorized');
    expect(of({ ...order, operations, verdicts: [] }, answer('authorize', 'refused'))).toBe('unauthorized');
  });

  it('a number that is not kept is one below the current, and not among those that are', () => {
    const operation = { attempt: 3, attempts: [leftOut(2)] } as unknown as OperationState;
    expect([0, 1, 2, 3, 4].map((attempt) => isLeftOut(operation, attempt))).toEqual([false, true, false, false, false]);
    expect(leftOut(2)).toEqual({ attempt: 2, token: '', intentAt: '', isTagged: true, closed: 'unsent' });
  });
});

describe('what is known of a call whose INTENT is lost', () => {
  it('waits once, under rules version 2', () => {
    const order = order2(...authorized);
    const evidence = { ...answer('capture', 'succeeded'), answer: {} };
    expect(of(order, evidence)).toBe('undecided');
    expect(of(orderOf(...authorized), evidence)).toBe('unauthorized');
    expect(of(order, { ...evidence, result: 'not_executed' })).toBe('known');
    const waiting = { ...order, unmatchedEvidence: [evidence] };
    expect(of(waiting, evidence)).toBe('known');
    expect(of(waiting, { ...evidence, result: 'refused' })).toBe('undecided');
    expect(of(waiting, { ...evidence, token: 'other' })).toBe('undecided');
    expect(shown(matchAgain(waiting, evidence))).toBe('undecided');
    expect(of({ ...order, verdicts: [['capture#1', 'busy']] }, evidence)).toBe('unauthorized');
    expect(shown(matchDoubt(order, evidence))).toBe('undecided');
    expect(shown(matchDoubt(orderOf(), evidence))).toBe('known');
  });

  it('is found by the command that comes again, among the answers', () => {
    const evidence = answer('capture', 'succeeded');
    const order = {
      ...order2(...authorized),
      unmatchedEvidence: [{ ...evidence, source: 'operator' as const }, evidence],
    };
    expect(callWithoutIntent(order, 'capture')).toBe(evidence);
    expect(callWithoutIntent(order, 'refund')).toBeUndefined();
  });

  it('of a lost attempt, whose tag a report has, waits until the attempt is back', () => {
    const idle = order2(...authorized, asked('capture'), notExecuted('capture'));
    const second = notified('capture', '0000', { attemptTagged: 2, answer: { transactionId: 'T-2' } }) as Evidence;
    expect(of(idle, second)).toBe('undecided');
    expect(of(orderOf(...authorized, asked('capture'), notExecuted('capture')), second)).toBe('matched capture 2');
    const first = notified('capture', '0000', { answer: { transactionId: 'T-2' } }) as Evidence;
    expect(of(idle, first)).toBe('matched capture 1');
    expect(of(order2(...authorized, asked('capture')), second)).toBe('matched capture 2');
    const other = { ...second, tag: { operation: operationTag('capture-2'), attempt: 2 } };
    expect(of(idle, other)).toBe('elsewhere');
    expect(of(idle, untagged('capture', '0000'))).not.toBe('undecided');
    expect(of({ ...idle, unmatchedEvidence: [second] }, second)).toBe('known');
  });
});

describe('a report that names an operation', () => {
  it.each<[string, JournalRecord[], Reported, string]>([
    ['by its command is of it', captured, operatorSays('capture', 'refused'), 'matched capture 1'],
    ['by a command that is not there is of none', captured, operatorSays('pay', 'refused'), 'known'],
    [
      'by its tag is of that attempt',
      [...authorized, asked('capture')],
      notified('capture', '0000', { attemptTagged: 4 }),
      'matched capture 4',
    ],
    ['by its TRANSACTIONID is of it', captured, untagged('capture', '4001'), 'matched capture 1'],
    ['by a tag that nobody has is made elsewhere', captured, notified('capture-9', '0000'), 'elsewhere'],
    [
      'by the tag of an operation that has ended under another TRANSACTIONID is of another',
      captured,
      notified('capture', '0000', { answer: { transactionId: 'T-x' } }),
      'elsewhere',
    ],
    [
      'by the tag of a card payment is of it, whatever its TRANSACTIONID',
      [asked('pay'), answered('pay', '0000')],
      {
        ...notified('pay', '0000', { answer: { transactionId: 'T-x' } }),
        tag: { operation: operationTag('pay'), attempt: 1 },
      },
      'matched pay 1',
    ],
    [
      'by the tag of an authorization is of it, whatever its TRANSACTIONID',
      authorized,
      notified('authorize', '0000', { answer: { transactionId: 'T-x' } }),
      'matched authorize 1',
    ],
    [
      'by the tag of a capture that was refused is of it',
      [...authorized, asked('capture'), answered('capture', '4001')],
      notified('capture', '0000', { answer: { transactionId: 'T-x' } }),
      'matched capture 1',
    ],
    [
      'by its tag, without a TRANSACTIONID, is of it',
      captured,
      notified('capture', '0000', { answer: { transactionId: undefined } }),
      'matched capture 1',
    ],
    [
      'by the tag of an attempt that never had a TRANSACTIONID is of it',
      [...authorized, asked('capture'), answered('capture', '0000', { transactionId: undefined })],
      notified('capture', '0000', { answer: { transactionId: 'T-x' } }),
      'matched capture 1',
    ],
    [
      'by the tag of another attempt of it is of that',
      captured,
      notified('capture', '0000', { attemptTagged: 2, answer: { transactionId: 'T-x' } }),
      'matched capture 2',
    ],
  ] as [string, JournalRecord[], Reported, string][])('%s', (_what, records, evidence, expected) =>
    expect(of(orderOf(...records), evidence)).toBe(expected),
  );
});

describe('a report of a void', () => {
  const voiding = [...authorized, asked('void')];
  const tag = { operation: operationTag('void'), attempt: 1 };
  const voided = [...voiding, answered('void', '0000')];
  it.each<[string, JournalRecord[], Reported, string]>([
    [
      'is of the void under the void’s TRANSACTIONID, though it says capture',
      voided,
      elsewhere('capture', '0000', 'T-void'),
      'matched void 1',
    ],
    [
      'is of the void by its tag, though it says capture',
      voiding,
      { ...elsewhere('capture', '0000', 'T-new'), tag },
      'matched void 1',
    ],
    [
      'is not of it by a tag where it has ended under a TRANSACTIONID',
      voided,
      { ...elsewhere('capture', '0000', 'T-new'), tag },
      'elsewhere',
    ],
    ['is of no void where it says refund', voided, elsewhere('refund', '0000', 'T-void'), 'elsewhere'],
    ['is of no void without a TRANSACTIONID', voiding, { ...elsewhere('capture', '0000'), tag }, 'elsewhere'],
    [
      'says nothing with the void’s tag and the authorization’s TRANSACTIONID',
      voiding,
      { ...elsewhere('capture', '0000', 'T-authorize'), tag },
      'known',
    ],
    [
      'is of the void where it says so, whatever the TRANSACTIONID',
      voiding,
      { ...elsewhere('void', '0000', 'T-authorize'), tag },
      'matched void 1',
    ],
    [
      'is not of it under the TRANSACTIONID of a capture',
      [...captured, asked('void')],
      { ...elsewhere('capture', '0000', 'T-capture'), tag },
      'matched capture 1',
    ],
    [
      'is not of it under the TRANSACTIONID that a capture names',
      [...authorized, asked('capture', { transactionId: 'T-gone' }), answered('capture', '0000'), asked('void')],
      { ...elsewhere('capture', '0000', 'T-gone'), tag },
      'elsewhere',
    ],
    [
      'with another tag is of no void',
      voiding,
      { ...elsewhere('capture', '0000', 'T-new'), tag: { ...tag, operation: 'other' } },
      'elsewhere',
    ],
  ])('%s', (_what, records, evidence, expected) => expect(of(orderOf(...records), evidence)).toBe(expected));

  const nameless = [...authorized, askedUntagged('void'), lost('void')];
  const ofAuthorization = untagged('authorize', '4001');
  it.each<[string, JournalRecord[], Reported, string]>([
    ['may be of either, where the void was sent without a tag and is in doubt', nameless, ofAuthorization, 'undecided'],
    ['is of the authorization, where it ended so', nameless, untagged('authorize', '0000'), 'matched authorize 1'],
    [
      'is of the authorization, where the void had a tag',
      [...authorized, asked('void'), lost('void')],
      ofAuthorization,
      'matched authorize 1',
    ],
    [
      'is of the authorization, where the void ended otherwise',
      [...nameless, answered('void', '0000')],
      ofAuthorization,
      'matched authorize 1',
    ],
    [
      'may be of either, where the void ended so',
      [...authorized, askedUntagged('void'), answered('void', '4001')],
      ofAuthorization,
      'undecided',
    ],
    [
      'is of the authorization, where the void was never sent',
      [...authorized, askedUntagged('void'), { ...notExecuted('void'), reason: 'unreachable' } as JournalRecord],
      ofAuthorization,
      'matched authorize 1',
    ],
    [
      'is of the authorization, where the void is of another',
      [...authorized, askedUntagged('void', { transactionId: 'T-x' }), lost('void')],
      ofAuthorization,
      'matched authorize 1',
    ],
    [
      'is of the authorization, where a person says it',
      nameless,
      operatorSays('authorize', 'refused', { transactionId: 'T-authorize' }),
      'matched authorize 1',
    ],
    ['is of the authorization, where it has its tag', nameless, notified('authorize', '4001'), 'matched authorize 1'],
    [
      'is of the authorization, where it says that it waits',
      nameless,
      untagged('authorize', '0003'),
      'matched authorize 1',
    ],
    ['is of the authorization, where it shows a form', nameless, untagged('authorize', '0002'), 'matched authorize 1'],
  ] as [string, JournalRecord[], Reported, string][])(
    'under the TRANSACTIONID of the authorization %s',
    (_what, records, evidence, expected) => expect(of(orderOf(...records), evidence)).toBe(expected),
  );
});

describe('a report without a name', () => {
  const refund = (name: string, amount: number) => askedUntagged(name, { amount });
  const doubtful = [...captured, refund('refund', 500), lost('refund')];
  const nameless = (name: string) => answered(name, '0000', { transactionId: undefined });
  const report = (amount?: number, execCode = '0000') => elsewhere('refund', execCode, 'T-x', amount);

  it.each<[string, JournalRecord[], Reported, string]>([
    ['may be ours, and of a doubt of its kind and amount', doubtful, report(500), 'elsewhere, may be ours of refund'],
    ['may be ours whatever the amount, where it names none', doubtful, report(), 'elsewhere, may be ours of refund'],
    ['is not of a doubt of another amount', doubtful, report(501), 'elsewhere'],
    ['is not of a doubt of another kind', doubtful, elsewhere('void', '0000', 'T-x'), 'elsewhere'],
    [
      'is not of a doubt that had a tag',
      [...captured, asked('refund', { amount: 500 }), lost('refund')],
      report(500),
      'elsewhere',
    ],
    [
      'of a share is of a doubt of any amount',
      doubtful,
      { ...report(7), partial: true },
      'elsewhere, may be ours of refund',
    ],
    ['waits for a call that is under way', [...captured, refund('refund', 500)], report(500), 'undecided'],
    ['is of a success that has no TRANSACTIONID', [...doubtful, nameless('refund')], report(500), 'matched refund 1'],
    [
      'that is refused is of no success, and may be ours',
      [...doubtful, nameless('refund')],
      report(500, '4001'),
      'elsewhere, may be ours',
    ],
    [
      'of a share is of no whole success',
      [...doubtful, nameless('refund')],
      { ...report(500), partial: true },
      'elsewhere, may be ours',
    ],
    [
      'is of none where a success of ours has its TRANSACTIONID',
      [...doubtful, answered('refund', '0000', { transactionId: 'T-y' })],
      report(500),
      'elsewhere',
    ],
    [
      'whose failure is ours says nothing new',
      [...captured, refund('refund', 500), answered('refund', '4001', { transactionId: undefined })],
      report(500, '4001'),
      'known',
    ],
    [
      'of another failure may be ours',
      [...captured, refund('refund', 500), answered('refund', '4001', { transactionId: undefined })],
      report(500, '4003'),
      'elsewhere, may be ours',
    ],
    [
      'that says again what was not executed says nothing new',
      [...captured, refund('refund', 500), notExecuted('refund')],
      report(500, '5003'),
      'known',
    ],
    [
      'that says otherwise that it was not executed may be ours',
      [...captured, refund('refund', 500), notExecuted('refund')],
      report(500, '5001'),
      'elsewhere, may be ours',
    ],
    [
      'of a success is of the newest attempt that was denied',
      [
        ...captured,
        refund('refund', 500),
        notExecuted('refund'),
        askedUntagged('refund', { amount: 500, attempt: 2 }),
        notExecuted('refund', 2),
      ],
      report(500),
      'denied refund 2',
    ],
    [
      'of an attempt that was never sent is made elsewhere',
      [...captured, refund('refund', 500), { ...notExecuted('refund'), reason: 'unreachable' } as JournalRecord],
      report(500),
      'elsewhere',
    ],
    ['of a kind that is none of ours is made elsewhere', captured, elsewhere('CHARGEBACK', '0000', 'T-x'), 'elsewhere'],
    ['that a person gives says nothing', captured, { ...report(500), source: 'operator' }, 'known'],
  ])('%s', (_what, records, evidence, expected) => expect(of(order2(...records), evidence)).toBe(expected));

  it('is of the success whose amount was asked for, before one of an assumed amount', () => {
    const both = [
      ...captured,
      refund('refund-1', 500),
      nameless('refund-1'),
      refund('refund-2', 500),
      nameless('refund-2'),
    ];
    const order = order2(...both);
    const assumed = {
      ...order,
      operations: order.operations.map((one) =>
        one.commandId === 'refund-1' ? { ...one, amount: 500, isAmountAssumed: true } : one,
      ),
    };
    expect(of(assumed, report(500))).toBe('matched refund-2 1');
  });

  it('of a share is of the share that we know, by its amount', () => {
    const partly = [
      ...captured,
      refund('refund', 500),
      answered('refund', '0004', { transactionId: undefined, amount: 300 }),
    ];
    const share = (amount?: number) => of(order2(...partly), { ...report(amount, '0004'), partial: true });
    expect([share(300), share(301)]).toEqual(['matched refund 1', 'elsewhere, may be ours']);
  });

  it('may be ours beside one of its kind whose TRANSACTIONID we only assume', () => {
    const order = order2(
      ...doubtful,
      nameless('refund'),
      notifiedElsewhere('refund', '0000', { transactionId: 'T-1', amount: 500 }),
    );
    expect(findOperation(order, 'refund')?.isTransactionAssumed).toBe(true);
    expect(of(order, report(500))).toBe('elsewhere, may be ours');
    expect(of(order, elsewhere('void', '0000', 'T-x'))).toBe('elsewhere');
    const plain = order.operations.map((one) => ({ ...one, isTransactionAssumed: undefined }));
    expect(of({ ...order, operations: plain }, report(500))).toBe('elsewhere');
  });

  it('of a payment is of its only attempt, or waits for the one under way', () => {
    const pay = [asked('pay'), lost('pay')];
    expect(of(orderOf(...pay), elsewhere('pay', '0000', 'T-x'))).toBe('matched pay 1');
    expect(of(orderOf(asked('pay')), elsewhere('pay', '0000', 'T-x'))).toBe('undecided');
    const again = [asked('pay'), notExecuted('pay'), asked('pay', { attempt: 2 }), notExecuted('pay', 2)];
    expect(of(orderOf(...again), elsewhere('pay', '0000', 'T-x'))).toBe('matched pay 2');
    expect(of(orderOf(...again), elsewhere('pay', '5001', 'T-x'))).toBe('elsewhere, may be ours');
    expect(of(orderOf(...again, asked('pay', { attempt: 3 })), elsewhere('pay', '0000', 'T-x'))).toBe('undecided');
    expect(of(orderOf(), elsewhere('pay', '0000', 'T-x'))).toBe('elsewhere');
  });

  it('of a TRANSACTIONID that an attempt has is of no other attempt', () => {
    const order = order2(...doubtful);
    expect(possibleSources(order, report(500))).toHaveLength(1);
    expect(possibleSources(order, elsewhere('refund', '0000', 'T-capture', 500))).toEqual([]);
    expect(possibleSources(order, elsewhere('refund', '0000', undefined, 500))).toHaveLength(1);
  });

  it('once told, is of the command whose doubt has ended without a TRANSACTIONID', () => {
    const order = order2(...doubtful, nameless('refund'));
    const told = (mayBeOf?: string[]) => matchTold(order, report(500), mayBeOf)?.operation.commandId;
    expect([told(['refund']), told(['refund-2']), told([]), told()]).toEqual([
      'refund',
      undefined,
      undefined,
      undefined,
    ]);
    expect(matchTold(order2(...doubtful), report(500), ['refund'])).toBeUndefined();
  });

  it('that waits is judged again, and says nothing where the same was told', () => {
    const waiting = report(500);
    const open = order2(...captured, refund('refund', 500));
    expect(shown(matchAgain({ ...open, unmatchedEvidence: [waiting] }, waiting))).toBe('undecided');
    const ended = order2(...captured);
    expect(shown(matchAgain({ ...ended, unmatchedEvidence: [waiting] }, waiting))).toBe('elsewhere');
    expect(shown(matchAgain({ ...ended, unmatchedEvidence: [waiting, { ...waiting }] }, waiting))).toBe('known');
    const denied = order2(...captured, refund('refund', 500), notExecuted('refund'));
    expect(shown(matchAgain({ ...denied, unmatchedEvidence: [waiting, { ...waiting }] }, waiting))).toBe(
      'denied refund 1',
    );
  });
});

it('an attempt may have been executed where it is under way, or is the one that succeeded', () => {
  const attempt = leftOut(1);
  const may = (operation: object, of = attempt) =>
    mayBeExecuted({ operation: operation as OperationState, attempt: of });
  expect([may({ phase: 'open', attempt: 1 }), may({ phase: 'in_doubt', attempt: 1 })]).toEqual([true, true]);
  expect([
    may({ phase: 'ended', end: 'succeeded', attempt: 1 }),
    may({ phase: 'ended', end: 'refused', attempt: 1 }),
  ]).toEqual([true, false]);
  expect([
    may({ phase: 'open', attempt: 2 }),
    may({ phase: 'ended', end: 'succeeded', attempt: 2, settledBy: 1 }),
  ]).toEqual([false, true]);
});

it('two reports are the same by operation, OPERATIONTYPE, TRANSACTIONID and EXECCODE; without a TRANSACTIONID also by amount', () => {
  const one = { operation: 'refund', transactionId: 'T', execCode: '0000', amount: 5 } as const;
  expect(isSameReport(one, { ...one, amount: 6 })).toBe(true);
  const differing = [{ operation: 'void' }, { operationType: 'X' }, { transactionId: 'U' }, { execCode: '4001' }];
  expect(differing.map((change) => isSameReport(one, { ...one, ...change } as typeof one))).toEqual([
    false,
    false,
    false,
    false,
  ]);
  const unnamed = { ...one, transactionId: undefined } as never;
  expect([
    isSameReport(unnamed, unnamed),
    isSameReport(unnamed, { ...one, transactionId: undefined, amount: 6 }),
  ]).toEqual([true, false]);
});
