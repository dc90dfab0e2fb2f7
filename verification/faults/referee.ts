import { bookOf, executedFor, type Book } from './referee-book.js';
import { wrongEvents } from './referee-events.js';
import { wrongExecutions } from './referee-executions.js';
import { missing } from './referee-open.js';
import { wrongOutcomes } from './referee-outcomes.js';
import type { Verdict, Violation } from './referee-verdict.js';
import type { Traces } from './traces.js';

export type { Verdict, Violation, ViolationKind } from './referee-verdict.js';

/** Judges a run only by its traces: it compares what was sent, journal, events and notifications with the platform's ledger. */
export function refereeOf(traces: Traces): Verdict {
  const book = bookOf(traces);
  const violations: Violation[] = [
    ...wrongExecutions(book),
    ...missing(traces, book),
    ...deadLetters(traces),
    ...wrongOutcomes(traces, book),
    ...wrongEvents(traces, book),
  ];
  return { violations, ...doubtsOf(book), publishedTwice: publishedTwice(book) };
}

/** The load sends only valid records, so every dead letter is a fault. */
function deadLetters({ deadLetters: count }: Traces): Violation[] {
  return count > 0 ? [{ kind: 'lost', detail: `${count} records are dead letters` }] : [];
}

function doubtsOf({ orders }: Book): Pick<Verdict, 'operations' | 'inDoubt' | 'resolved' | 'falseDoubt'> {
  const all = [...orders.values()].flatMap((traced) =>
    traced.order.operations.map((operation) => ({ traced, operation })),
  );
  const doubted = all.filter(({ operation }) => operation.wasInDoubt);
  return {
    operations: all.length,
    inDoubt: doubted.length,
    resolved: doubted.filter(({ operation }) => operation.phase !== 'in_doubt').length,
    falseDoubt: doubted.filter(({ traced, operation }) => executedFor(traced, operation).length === 0).length,
  };
}

/** Counts the repeated publications after a crash between publishing and recording the progress. */
function publishedTwice({ expected, published }: Book): number {
  return [...published].reduce(
    (sum, [id, { length }]) => sum + Math.max(0, length - (expected.get(id)?.times ?? 1)),
    0,
  );
}
