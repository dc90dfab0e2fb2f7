import { orderKey } from '@tranche/contracts';
import { emptyOrder } from '@tranche/order-journal';
import { bookOf, isTaken } from '../faults/referee-book.js';
import { MERCHANT } from '../faults/surroundings.js';
import type { Traces } from '../faults/traces.js';
import type { Story } from './order-story.js';
import { executedOf, type StackOrder } from './stack-order.js';

export interface Played {
  orderId: string;
  player: Pick<StackOrder, 'executed' | 'reported' | 'play'>;
  /** Why the order stopped early. */
  trouble?: string;
}

/** Each order's events of the result topic, each once, and its operations in the simulator's ledger. */
export function storiesOf(traces: Traces, played: readonly Played[]): Story[] {
  const { orders } = bookOf(traces);
  const events = grouped(traces.events, ({ key }) => key);
  const records = grouped(traces.journal, ({ key }) => key);
  const operations = grouped(traces.ledger.operations, ({ orderId }) => orderId);
  return played.map(({ orderId, player }) => {
    const key = orderKey(MERCHANT.name, orderId);
    const commandOf = new Map(player.executed.map(({ transactionId, commandId }) => [transactionId, commandId]));
    const published = (events.get(key) ?? []).map(({ event }) => event);
    return {
      order: orders.get(key)?.order ?? emptyOrder(MERCHANT.name, orderId),
      events: [...new Map(published.map((event) => [event.id, event])).values()],
      records: (records.get(key) ?? []).map(({ record }) => record),
      ledger: {
        executed: (operations.get(orderId) ?? []).map((one) =>
          executedOf(one, one.origin === 'request' ? (commandOf.get(one.transactionId) ?? 'unknown') : undefined),
        ),
      },
      reported: player.reported,
    };
  });
}

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}

/** Notifications that were taken and are not in the journal, and events that the journal asks for and nobody published. */
export function unreadIn(traces: Traces): string[] {
  const folded = new Set(
    traces.journal.flatMap(({ key, record }) =>
      record.record === 'EVIDENCE' ? [`${key} ${record.answer.transactionId}`] : [],
    ),
  );
  const { expected, published } = bookOf(traces);
  return [
    ...traces.delivered
      .filter((one) => isTaken(one) && !folded.has(`${orderKey(one.merchant, one.orderId)} ${one.transactionId}`))
      .map(({ orderId, transactionId }) => `${orderId}: the notification of ${transactionId} is not in the journal`),
    ...[...expected]
      .filter(([id]) => !published.has(id))
      .map(([, { event }]) => `${event.subject}: ${event.type} is not published`),
  ];
}
