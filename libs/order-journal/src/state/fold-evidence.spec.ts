import {
  answered,
  asked,
  askedUntagged,
  authorized,
  captured,
  expired,
  folded,
  later,
  lost,
  notExecuted,
  notified,
  notifiedElsewhere,
  operatorSays,
  standing,
  START,
  under,
} from '../../test/order-story.js';
import { conflictsOf } from './conflicts.js';
import { operationTag } from './extradata-tag.js';
import { externalEvidence } from './fold-evidence.js';
import { standingOf } from './history.js';
import { findOperation, type ExternalOperation, type OrderState } from './order-state.js';
import type { EvidenceRecord, JournalRecord } from './records.js';

const after = (...records: JournalRecord[]): OrderState => folded(records).order;
const operationOf = (name: string, ...records: JournalRecord[]) => findOperation(after(...records), name)!;
/** The events of the last record. */
const told = (...records: JournalRecord[]) => {
  const { events, bodies, order } = folded(records.slice(-1), after(...records.slice(0, -1)));
  return { events, bodies, order };
};
const form = [asked('authorize', { method: 'A' }), answered('authorize', '0002')];
const doubt = [asked('authorize'), lost('authorize')];
const lookedUp = (name: string, execCode: string, change: Partial<EvidenceRecord> = {}): EvidenceRecord => ({
  ...notified(name, execCode),
  source: 'look-up',
  ...change,
});

describe('a report counts', () => {
  it('once for its attempt, TRANSACTIONID and EXECCODE', () => {
    const evidence = (...records: JournalRecord[]) => operationOf('authorize', ...doubt, ...records).evidence.length;
    const unclear = notified('authorize', '5004');
    const ofOther = notified('authorize', '5004', { answer: { transactionId: 'T-other' } });
    expect([evidence(unclear, { ...unclear, at: later(5) }), evidence(unclear, ofOther)]).toEqual([1, 2]);
    expect(evidence(unclear, notified('authorize', '9999'))).toBe(2);
  });

  it('without a TRANSACTIONID where it has none', () => {
    const nameless = { ...notified('authorize', '5004'), answer: { execCode: '5004' } };
    const [counted] = operationOf('authorize', ...doubt, nameless).evidence;
    expect(counted).toMatchObject({ attempt: 1, code: '5004' });
    expect(counted).not.toHaveProperty('transactionId');
  });

  it('for an earlier attempt as a success after all, once, and as nothing where it is none', () => {
    const again = [asked('authorize'), notExecuted('authorize'), asked('authorize', { attempt: 2 })];
    const late = notified('authorize', '0000');
    expect(told(...again, late).events).toEqual(['conflict.detected']);
    expect(told(...again, late, { ...late, at: later(5) }).events).toEqual([]);
    const refused = told(...again, notified('authorize', '4001'));
    expect([refused.events, standing(refused.order, 'authorize')]).toEqual([[], 'open']);
    expect(findOperation(refused.order, 'authorize')?.evidence).toHaveLength(1);
  });

  it('for an earlier attempt as no success after all, where it says that its payment waits', () => {
    const again = [asked('authorize'), notExecuted('authorize'), asked('authorize', { attempt: 2 })];
    for (const code of ['0002', '0003']) {
      const { events, order } = told(...again, notified('authorize', code));
      expect([events, standing(order, 'authorize'), conflictsOf(order)]).toEqual([[], 'open', []]);
    }
  });

  it('for an attempt that is not asked for yet, and settles nothing', () => {
    const early = notified('authorize', '0000', { attemptTagged: 2 });
    const { events, order } = told(asked('authorize'), notExecuted('authorize'), early);
    expect([events, standing(order, 'authorize')]).toEqual([[], 'idle']);
    expect(findOperation(order, 'authorize')?.evidence).toMatchObject([{ attempt: 2, code: '0000' }]);
  });

  it('and moves nothing the second time, while its payment waits', () => {
    const first = notified('authorize', '5001');
    expect(told(...form, first).events).toEqual(['conflict.detected']);
    expect(told(...form, first, { ...first, at: later(5) }).events).toEqual([]);
  });
});

describe('a report that was there when two people settled a conflict', () => {
  const second = answered('pay', '0000', { transactionId: 'T-2' }, 2);
  const late = answered('pay', '0000', { transactionId: 'T-1' });
  const before = after(asked('pay'), notExecuted('pay'), asked('pay', { attempt: 2 }), second, late);
  const stated: JournalRecord = {
    ...{ record: 'SETTLED', rulesVersion: 2, merchant: before.merchant, orderId: before.orderId, at: START },
    ...{ conflict: conflictsOf(before).find(({ reason }) => reason === 'other_result')!.id, seen: standingOf(before) },
    ...{ outcome: 'kept', result: 'succeeded', transactionId: 'T-2' },
    ...{ actor: 'alice', approvedBy: 'bob', reason: 'seen in the books', proposal: 'p-1' },
  };
  const { order } = folded([stated], before);

  it.each<[string, JournalRecord]>([
    ['the answer', { ...late, at: later(5) }],
    ['a notification', notified('pay', '0000', { answer: { transactionId: 'T-1' } })],
  ])('of an earlier attempt changes nothing when %s tells it again', (_who, again) => {
    expect(conflictsOf(order)).toEqual([]);
    const { events, order: next } = folded([again], order);
    expect([events, next.operations]).toEqual([[], order.operations]);
  });

  it('is no leave for another one: a refusal of the success that stands is a conflict', () => {
    const refused = notified('pay', '4001', { answer: { transactionId: 'T-2' } });
    expect(folded([refused], order).events).toEqual(['conflict.detected']);
  });
});

describe('a refusal that may mean "already done"', () => {
  it('ends a call that was never in doubt, and no doubt', () => {
    const twice = (source: EvidenceRecord['source']) => ({ ...notified('authorize', '4011'), source });
    expect(standing(after(asked('authorize'), twice('notification')), 'authorize')).toBe('ended refused');
    expect(standing(after(...doubt, twice('notification')), 'authorize')).toBe('in_doubt');
    expect(standing(after(...doubt, twice('look-up')), 'authorize')).toBe('in_doubt');
    const said = { ...operatorSays('authorize', 'refused'), mayBeDone: true };
    expect(standing(after(...doubt, said), 'authorize')).toBe('ended refused');
  });
});

describe('a form', () => {
  it('proves itself where a look-up of the doubtful authorization names it by its tag, or a person saw it', () => {
    const stands = (record: EvidenceRecord, ...before: JournalRecord[]) =>
      standing(after(...(before.length > 0 ? before : doubt), record), 'authorize');
    expect(stands(lookedUp('authorize', '0002'))).toBe('redirect_required');
    expect(stands(operatorSays('authorize', 'redirect_required'))).toBe('redirect_required');
    expect(stands(notified('authorize', '0002'))).toBe('in_doubt');
    expect(stands(lookedUp('authorize', '0002'), asked('authorize'))).toBe('open');
    const untagged = lookedUp('authorize', '0002', { tag: undefined });
    expect(stands(untagged, askedUntagged('authorize'), lost('authorize'))).toBe('in_doubt');
    const ofCard = lookedUp('pay', '0002', { tag: { operation: operationTag('pay'), attempt: 1 } });
    expect(standing(after(asked('pay'), lost('pay'), ofCard), 'pay')).toBe('in_doubt');
  });

  it('is none of a capture, even where a person saw it', () => {
    const doubtful = [...authorized, asked('capture'), lost('capture')];
    for (const result of ['redirect_required', 'pending'] as const)
      expect(standing(after(...doubtful, operatorSays('capture', result)), 'capture')).toBe('in_doubt');
  });

  it('or an approval is none of a capture: its doubt stays', () => {
    for (const code of ['0002', '0003'])
      expect(
        standing(after(...authorized, asked('capture'), lost('capture'), lookedUp('capture', code)), 'capture'),
      ).toBe('in_doubt');
  });
});

describe('a person’s statement', () => {
  const says = (result: EvidenceRecord['result'], change: Partial<EvidenceRecord> = {}) => ({
    ...operatorSays('authorize', result, { transactionId: 'T-1' }),
    ...change,
  });
  const tagged = {
    commandId: undefined,
    attempt: undefined,
    tag: { operation: operationTag('authorize'), attempt: 1 },
  };

  it('is of the attempt that it names, or that its tag names', () => {
    expect(standing(after(...doubt, says('succeeded', { attempt: 2 })), 'authorize')).toBe('in_doubt');
    const byTag = operationOf('authorize', ...doubt, says('succeeded', tagged));
    expect([byTag.end, byTag.evidence[0]?.attempt]).toEqual(['succeeded', 1]);
    const nameless = { ...says('succeeded'), attempt: undefined } as unknown as JournalRecord;
    expect(operationOf('authorize', ...doubt, nameless).evidence[0]?.attempt).toBe(1);
  });

  it('says by whom its doubt ended', () => {
    const operation = operationOf('authorize', ...doubt, says('not_executed'));
    expect(operation).toMatchObject({
      end: 'not_executed',
      resolvedBy: { actor: 'alice', reason: 'seen in the back office', at: later(15 * 60_000) },
    });
  });

  it('that nothing was executed counts from 15 minutes after its INTENT on, or later where it says so', () => {
    const stands = (ms: number, change: Partial<EvidenceRecord> = {}) =>
      standing(after(...doubt, says('not_executed', { at: later(ms), ...change })), 'authorize');
    const minutes = 60_000;
    expect([stands(15 * minutes - 1), stands(15 * minutes)]).toEqual(['in_doubt', 'ended not_executed']);
    const notBefore = later(20 * minutes);
    expect([stands(20 * minutes - 1, { notBefore }), stands(20 * minutes, { notBefore })]).toEqual([
      'in_doubt',
      'ended not_executed',
    ]);
    expect(standing(after(...doubt, says('succeeded', { at: later(1) })), 'authorize')).toBe('ended succeeded');
  });

  it('counts of what waits from a day on, and only as an end', () => {
    const day = 86_400_000;
    const stands = (result: EvidenceRecord['result'], ms: number) =>
      standing(after(...form, says(result, { at: later(ms) })), 'authorize');
    expect([stands('refused', day - 1), stands('refused', day)]).toEqual(['redirect_required', 'ended refused']);
    expect([stands('succeeded', day), stands('not_executed', day)]).toEqual(['ended succeeded', 'ended not_executed']);
    for (const result of ['pending', 'redirect_required', 'in_doubt'] as const)
      expect(stands(result, day)).toBe('redirect_required');
    expect(standing(after(asked('authorize'), says('refused', { at: later(day) })), 'authorize')).toBe('open');
  });
});

describe('a person’s statement of a payment that waits by an attempt which an answer denied first', () => {
  it('is judged, though nobody was granted the attempt that would come next', () => {
    const day = later(86_400_000);
    const waiting = [asked('authorize'), notExecuted('authorize'), answered('authorize', '0003')];
    const says = (result: EvidenceRecord['result']) => ({ ...operatorSays('authorize', result, {}, 2), at: day });
    expect(operationOf('authorize', ...waiting)).toMatchObject({ phase: 'pending', attempt: 2, settledBy: 1 });
    const { order } = told(...waiting, says('not_executed'), says('refused'));
    expect(findOperation(order, 'authorize')).toMatchObject({ phase: 'ended' });
  });
});

describe('a report of an ended operation that names its TRANSACTIONID first', () => {
  const nameless = { transactionId: undefined };

  it.each([
    ['4001', '4001', 'ended refused'],
    ['0000', '0003', 'ended succeeded'],
  ])('is counted and not told, unless both say that it succeeded: %s, then %s', (code, then, end) => {
    const { events, order } = told(
      asked('authorize'),
      answered('authorize', code, nameless),
      notified('authorize', then),
    );
    expect([events, standing(order, 'authorize')]).toEqual([[], end]);
    expect(findOperation(order, 'authorize')?.transactionId).toBe('T-authorize');
  });

  it('is told where both say so', () => {
    const { events, bodies } = told(
      asked('authorize'),
      answered('authorize', '0000', nameless),
      notified('authorize', '0000'),
    );
    expect([events, bodies[0]?.flags]).toEqual([['authorize.succeeded'], ['transaction_added']]);
  });
});

describe('an answer that comes behind the report', () => {
  it('moves on what waits, and is compared with what has ended', () => {
    const reported = [asked('authorize'), notified('authorize', '0003')];
    expect(standing(after(...reported, answered('authorize', '4001')), 'authorize')).toBe('ended refused');
    const ended = [asked('authorize'), notified('authorize', '0000')];
    expect(told(...ended, answered('authorize', '4001')).events).toEqual(['conflict.detected']);
    expect(told(...ended, answered('authorize', '0000')).events).toEqual([]);
  });
});

describe('a call that was never granted', () => {
  const stray = (change: object = {}, code = '0000'): JournalRecord => ({
    ...answered('pay', code, { transactionId: 'T-stray' }),
    token: 'stray',
    ...change,
  });
  const paid = [asked('pay'), answered('pay', '4001', { transactionId: undefined })];
  const outcomes = (...records: JournalRecord[]) => after(...paid, ...records).unauthorizedOutcomes;

  it('is told once for each token, result and TRANSACTIONID', () => {
    const again = { at: later(5) };
    expect(told(...paid, stray()).events).toEqual(['conflict.detected']);
    expect([told(...paid, stray(), stray(again)).events, outcomes(stray(), stray(again))?.length]).toEqual([[], 1]);
    expect(outcomes(stray(), stray({ token: 'other' }))).toHaveLength(2);
    expect(outcomes(stray(), stray({}, '4001'))).toHaveLength(2);
    expect(outcomes(stray(), stray({ answer: { execCode: '0000', transactionId: 'T-2' } }))).toHaveLength(2);
  });

  it('is told once, also where another one was told between', () => {
    const records = [stray(), stray({ token: 'other' }), stray({ at: later(5) })];
    expect([told(...paid, ...records).events, outcomes(...records)?.length]).toEqual([[], 2]);
  });

  it('is told with what its operation knows, and never with its form', () => {
    const withForm = stray({ result: 'redirect_required', answer: { execCode: '0002', redirectHtml: 'PGE+' } });
    const { bodies } = told(...paid, withForm);
    expect(JSON.stringify(bodies)).not.toContain('PGE+');
    expect(outcomes(withForm)).toEqual([
      { commandId: 'pay', attempt: 1, token: 'stray', result: 'redirect_required', operation: 'pay', amount: 30_000 },
    ]);
  });

  it('binds its TRANSACTIONID to an ended operation alone', () => {
    expect(operationOf('pay', ...paid, stray()).transactionId).toBe('T-stray');
    expect(operationOf('pay', asked('pay'), stray())).not.toHaveProperty('transactionId');
    expect(operationOf('pay', ...paid, stray({}, '4001'))).not.toHaveProperty('transactionId');
  });

  it('ends an operation that waits for its next attempt: it was executed', () => {
    const idle = [asked('pay'), notExecuted('pay')];
    expect(operationOf('pay', ...idle, stray())).toMatchObject({
      phase: 'ended',
      end: 'succeeded',
      transactionId: 'T-stray',
    });
  });

  it('is nothing where the history of its order is not whole', () => {
    const partial = folded([stray()], { ...after(...paid), isPartial: true });
    expect([partial.events, partial.order.unauthorizedOutcomes]).toEqual([[], undefined]);
  });
});

describe('an operation made elsewhere', () => {
  const office = (operation: string, execCode: string, answer: object = {}) =>
    notifiedElsewhere(operation, execCode, { transactionId: 'T-office', amount: 5, ...answer });
  const conflicts = (...records: JournalRecord[]) =>
    folded([...authorized, ...records]).events.filter((event) => event === 'conflict.detected').length;

  it('has who reported it, where that was no notification', () => {
    const [byNotification] = after(...authorized, office('refund', '0000')).external;
    expect(byNotification).not.toHaveProperty('source');
    expect(externalEvidence(byNotification!).source).toBe('notification');
    const [listed] = after(...authorized, { ...office('refund', '0000'), source: 'look-up' }).external;
    expect([listed?.source, externalEvidence(listed!).source]).toEqual(['look-up', 'look-up']);
  });

  it('is evidence of ours with all that its report had', () => {
    const known: ExternalOperation = {
      ...{ operation: 'refund', result: 'succeeded', transactionId: 'T-1', execCode: '0004', amount: 5, partial: true },
      ...{
        mayBeDone: true,
        currency: 'EUR',
        externalEntityId: '1',
        externalReference: '2',
        extraData: 'x',
        language: 'fr',
      },
      ...{ flags: ['x'], offset: '1', record: 'h' },
    };
    expect(externalEvidence(known)).toEqual({
      ...{ operation: 'refund', result: 'succeeded', partial: true, mayBeDone: true, source: 'notification' },
      ...{ answer: { transactionId: 'T-1', execCode: '0004', amount: 5 }, currency: 'EUR', externalEntityId: '1' },
      ...{ externalReference: '2', extraData: 'x', language: 'fr', flags: ['x'] },
    });
  });

  it('is in conflict with a report of the opposite result of the same operation', () => {
    expect(conflicts(office('refund', '0000'), office('refund', '4001'))).toBe(1);
    expect(conflicts(office('refund', '4001'), office('refund', '0000'))).toBe(1);
    expect(conflicts(office('refund', '4001'), office('refund', '5004'))).toBe(0);
    expect(conflicts(office('refund', '5004'), office('refund', '0000'))).toBe(0);
    expect(conflicts(office('refund', '0000'), office('refund', '5004'))).toBe(0);
    expect(conflicts(office('refund', '5004'), office('refund', '4001'))).toBe(0);
    expect(conflicts(office('refund', '4001'), office('refund', '4003'))).toBe(0);
    expect(conflicts(office('refund', '0000'), office('capture', '4001'))).toBe(0);
    expect(conflicts(office('credit', '0000'), office('debit', '4001'))).toBe(0);
    expect(conflicts(office('credit', '0000'), office('credit', '4001'))).toBe(1);
    const nameless = { transactionId: undefined };
    expect(conflicts(office('refund', '0000', nameless), office('refund', '4001', nameless))).toBe(0);
  });

  it('stays of the authorization for which it was reported first, with what a later report adds', () => {
    const bare = notifiedElsewhere('capture', '0000', { transactionId: 'T-office' });
    const [first] = after(...authorized, bare).external;
    expect(first).toMatchObject({ of: 'authorize' });
    const { external } = after(
      ...authorized,
      bare,
      notifiedElsewhere('capture', '0000', { transactionId: 'T-office', amount: 9 }),
    );
    expect(external.at(-1)).toMatchObject({ of: 'authorize', amount: 9 });
  });

  it('is a void of what waits only where it is one, of a payment that no report said to have succeeded', () => {
    const isOfWaiting = (...records: JournalRecord[]) => after(...records).external.map((one) => one.isOfWaiting);
    expect(isOfWaiting(...form, office('void', '0000'))).toEqual([true]);
    expect(isOfWaiting(...form, office('capture', '0000'))).toEqual([undefined]);
    expect(isOfWaiting(...authorized, office('void', '0000'))).toEqual([undefined]);
  });
});

describe('a success that is reported after an expiry', () => {
  it('counts all the same, and any other report of an end is compared with it', () => {
    const over = [asked('authorize'), answered('authorize', '0003'), expired('authorize')];
    expect(operationOf('authorize', ...over, notified('authorize', '0000')).end).toBe('succeeded');
    expect(told(...over, notified('authorize', '4001')).events).toEqual([]);
  });

  it('is told with EXTRADATA that came behind a refusal, and without it not at all', () => {
    const refused = under(2, asked('authorize'), answered('authorize', '4001'));
    const again = (change: object) => told(...refused, ...under(2, notified('authorize', '4001', change)));
    expect(again({ extraData: 'basket' })).toMatchObject({
      events: ['authorize.refused'],
      bodies: [{ extraData: 'basket', flags: ['extra_data_added'] }],
    });
    expect(again({}).events).toEqual([]);
    const succeeded = under(2, ...captured);
    expect(told(...succeeded, ...under(2, notified('capture', '4001', { extraData: 'x' }))).events).toEqual([
      'conflict.detected',
    ]);
  });
});

describe('a report without a name', () => {
  it('is assumed to be ours only with the TRANSACTIONID that it brings', () => {
    const nameless = [askedUntagged('pay'), lost('pay')];
    const report = (answer: object) => ({
      ...notifiedElsewhere('pay', '0000'),
      answer: { execCode: '0000', ...answer },
    });
    const assumed = (answer: object) => operationOf('pay', ...under(2, ...nameless, report(answer)));
    expect(assumed({ transactionId: 'T-1', amount: 30_000 })).toMatchObject({ end: 'succeeded', transactionId: 'T-1' });
    expect(assumed({ amount: 30_000 })).not.toHaveProperty('isTransactionAssumed');
  });

  it('makes no TRANSACTIONID an assumed one where it brings none', () => {
    const refund = [...captured, askedUntagged('refund'), answered('refund', '0000', { transactionId: undefined })];
    const report = (answer: object) => notifiedElsewhere('refund', '0000', { amount: 30_000, ...answer });
    const assumed = (answer: object) => operationOf('refund', ...under(2, ...refund, report(answer)));
    expect(assumed({ transactionId: 'T-1' })).toMatchObject({ transactionId: 'T-1', isTransactionAssumed: true });
    const { evidence, ...bare } = assumed({});
    expect(evidence).toHaveLength(1);
    for (const name of ['transactionId', 'isTransactionAssumed']) expect(bare).not.toHaveProperty(name);
  });
});
