import { emptyOrder, fold, recordHash, type OrderState } from '../src/index.js';
import { corpusJournals, type CorpusJournal } from './corpus-journals.js';

/**
 * Journals that were written once and must stay readable (R2). Each must fold to the same verdicts, phases, ends, amounts and events as on the day it
 * was added. Files here are never changed; corpus/README.md says why.
 */
const corpus = corpusJournals();

it('holds 40 journals at least', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(40);
});

it.each(corpus.map((journal) => [journal.name, journal] as const))(
  'old journals fold to the same states for ever: %s',
  (_name, journal) => {
    expect(folded(journal)).toEqual({ state: journal.state, events: journal.events });
  },
);

function folded({ merchant, orderId, records }: CorpusJournal): Pick<CorpusJournal, 'state' | 'events'> {
  let order = emptyOrder(merchant, orderId);
  const events: string[] = [];
  for (const { offset, record, stored } of records) {
    const { order: next, effects } = fold(order, record, offset, () => recordHash(stored));
    order = next;
    for (const { event, isRepeat } of effects)
      events.push(
        [event.offset, event.type, event.body.outcome, isRepeat ? 'again' : undefined].filter(Boolean).join(' '),
      );
  }
  return { state: JSON.parse(JSON.stringify(essence(order))) as object, events };
}

/** The part of an order that every release must keep. */
function essence({ operations, verdicts, unmatchedEvidence, external, lastOffset }: OrderState): object {
  const joined = (parts: (string | number | undefined)[]) => parts.filter((part) => part !== undefined).join(' ');
  return {
    operations: operations.map((operation) => {
      const { commandId, phase, end, attempt, amount, partial, transactionId, reference, wasInDoubt, flags, attempts } =
        operation;
      const tried = attempts.map(({ attempt: number, transactionId: id, closed }) =>
        joined([number, closed ?? 'stands', id]),
      );
      return {
        commandId,
        is: joined([phase, end, attempt]),
        amount,
        partial,
        transactionId,
        reference,
        wasInDoubt,
        flags,
        tried,
      };
    }),
    verdicts: verdicts.map(([token, verdict]) => `${token} ${verdict}`),
    unmatchedEvidence: unmatchedEvidence.map(({ operation, result, answer }) =>
      joined([operation, result, answer.transactionId, answer.execCode]),
    ),
    external: external.map(({ operation, result, transactionId, amount }) =>
      joined([operation, result, transactionId, amount]),
    ),
    lastOffset,
  };
}
