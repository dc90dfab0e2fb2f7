import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  emptyOrder,
  encodeRecord,
  decodeRecord,
  fold,
  recordHash,
  type JournalRecord,
  type OrderState,
} from '../src/index.js';

/**
 * Journals that were written once and are read for ever (R2). Each must fold to what it folded to on the day it was added: verdicts, phases,
 * ends, amounts, events. Files here are added, never changed; corpus/README.md says how.
 */
interface CorpusJournal {
  name: string;
  merchant: string;
  orderId: string;
  rulesVersion: number;
  /** A record without what stands at the head, or, where its history counts, as it was written. */
  journal: [offset: number, record: object | string][];
  state: object;
  events: string[];
}

const folder = join(__dirname, 'corpus');
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
const corpus = files.flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as CorpusJournal[]);

it('holds 200 journals at least', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(200);
});

it.each(corpus.map((journal) => [journal.name, journal] as const))(
  'old journals fold to the same states for ever: %s',
  (_name, journal) => {
    expect(folded(journal)).toEqual({ state: journal.state, events: journal.events });
  },
);

function folded({ merchant, orderId, rulesVersion, journal }: CorpusJournal): Pick<CorpusJournal, 'state' | 'events'> {
  let order = emptyOrder(merchant, orderId);
  const events: string[] = [];
  for (const [offset, rest] of journal) {
    const stored =
      typeof rest === 'string'
        ? Buffer.from(rest)
        : encodeRecord({ merchant, orderId, rulesVersion, ...rest } as JournalRecord);
    const record = decodeRecord(stored);
    const { order: next, effects } = fold(order, record, BigInt(offset), () => recordHash(stored));
    order = next;
    for (const { event, isRepeat } of effects)
      events.push(
        [event.offset, event.type, event.body.outcome, isRepeat ? 'again' : undefined].filter(Boolean).join(' '),
      );
  }
  return { state: JSON.parse(JSON.stringify(essence(order))) as object, events };
}

/** What an order is, whatever the release of the day keeps of it besides. */
function essence({ operations, verdicts, unbound, external, lastOffset }: OrderState): object {
  const words = (parts: (string | number | undefined)[]) => parts.filter((part) => part !== undefined).join(' ');
  return {
    operations: operations.map((operation) => {
      const { commandId, phase, end, attempt, amount, partial, transactionId, reference, wasInDoubt, flags, attempts } =
        operation;
      const tried = attempts.map(({ attempt: number, transactionId: id, closed }) =>
        words([number, closed ?? 'stands', id]),
      );
      return {
        commandId,
        is: words([phase, end, attempt]),
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
    unbound: unbound.map(({ operation, result, answer }) =>
      words([operation, result, answer.transactionId, answer.execCode]),
    ),
    external: external.map(({ operation, result, transactionId, amount }) =>
      words([operation, result, transactionId, amount]),
    ),
    lastOffset,
  };
}
