import { fold, emptyOrder, type JournalRecord, type OrderState } from '@tranche/order-journal';

/** A journal of the corpus: its records, and what they must come to for ever. Merchant, order and rules version stand once, at its head. */
export interface CorpusJournal {
  name: string;
  merchant: string;
  orderId: string;
  rulesVersion: number;
  /** A record without what stands at the head, or, where its history counts, as it was written: a hash is of its bytes. */
  journal: [offset: number, record: object | string][];
  /** Verdicts by token, operations, what waits unbound, what is not ours. */
  state: object;
  /** `OFFSET TYPE OUTCOME` of every event, in order; `again` where it is a repeat. */
  events: string[];
}

/** Folds a journal; what the corpus keeps of the state says what the order is, not how the release of the day holds it. */
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
