import { fold, emptyOrder, type JournalRecord, type OrderState } from '@tranche/order-journal';

/**
 * A journal of the corpus: its records and the state and events that every release must fold from them. Merchant, order and rules version
 * are stored once, at its head.
 */
export interface CorpusJournal {
  name: string;
  merchant: string;
  orderId: string;
  rulesVersion: number;
  /** A record without the fields of the head. A journal with a history keeps the text as written, because a hash covers its bytes. */
  journal: [offset: number, record: object | string][];
  /** Verdicts by token, operations, unmatched evidence, external operations. */
  state: object;
  /** `OFFSET TYPE OUTCOME` of every event, in order; `again` marks a repeat. */
  events: string[];
}

/** Folds a journal and keeps those parts of the state that do not depend on a release's data structures. */
export function distil(
  merchant: string,
  orderId: string,
  journal: readonly (readonly [offset: number, record: JournalRecord])[],
): Pick<CorpusJournal, 'state' | 'events'> {
  let order = emptyOrder(merchant, orderId);
  const events: string[] = [];
  for (const [offset, record] of journal) {
    const folded = fold(order, record, BigInt(offset));
    order = folded.order;
    for (const { event, isRepeat } of folded.effects)
      events.push(
        [event.offset, event.type, event.body.outcome, isRepeat ? 'again' : undefined].filter(Boolean).join(' '),
      );
  }
  return { state: JSON.parse(JSON.stringify(essence(order))) as object, events };
}

function essence({ operations, verdicts, unmatchedEvidence, external, lastOffset }: OrderState): object {
  return {
    operations: operations.map((operation) => {
      const { commandId, phase, end, attempt, amount, partial, transactionId, reference, wasInDoubt, flags, attempts } =
        operation;
      const tried = attempts.map(({ attempt: number, transactionId: id, closed }) =>
        [number, closed ?? 'stands', ...(id === undefined ? [] : [id])].join(' '),
      );
      return {
        commandId,
        is: [phase, end, attempt].filter((part) => part !== undefined).join(' '),
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
      [operation, result, answer.transactionId, answer.execCode].filter(Boolean).join(' '),
    ),
    external: external.map(({ operation, result, transactionId, amount }) =>
      [operation, result, transactionId, amount].filter((part) => part !== undefined).join(' '),
    ),
    lastOffset,
  };
}
