import type { OperationState, OrderState } from '@tranche/order-journal';
import type { Order, Timeline } from '../api/operations.js';
import { money, relative, type Column } from '../output/output.js';
import { timerInWords } from '../output/words.js';
import { printableInLine } from '../printable.js';

/** The state as the fold made it: operations sends it whole. */
export const stateOf = (order: Pick<Order, 'state'>): OrderState => order.state as unknown as OrderState;
export const operationsOf = (order: Order): readonly OperationState[] => stateOf(order).operations;

export const OPERATION_COLUMNS: Column<OperationState>[] = [
  { name: 'operation', of: ({ operation }) => operation },
  { name: 'state', of: ({ end, phase }) => end ?? phase },
  { name: 'amount', of: ({ amount, currency }) => money(amount, currency) },
  { name: 'attempts', of: ({ attempt }) => attempt },
  { name: 'transaction', of: ({ transactionId }) => transactionId },
  { name: 'since', of: ({ since }) => relative(since) },
  { name: 'command', of: ({ commandId }) => commandId },
];

export function amountsText({ currency, ...amounts }: Record<string, unknown>): string {
  const texts = Object.entries(amounts).map(([name, amount]) => {
    if (amount === null) return `${name} unknown`;
    return typeof amount === 'number' && amount !== 0 ? `${name} ${money(amount, (currency ?? '') as string)}` : '';
  });
  return texts.filter((text) => text !== '').join(', ') || 'no money moved';
}

interface Entry {
  kind: string;
  actBy?: string;
  about: {
    reason?: string;
    reasons?: string[];
    blocks?: string;
    operation?: string;
    byItself?: { what: string; at: string }[];
  };
}

/** Lists what of the order needs a person, what it blocks, and what lifts that. */
export function attentionText({ attention, merchant, orderId }: Order): string[] {
  return (attention as unknown as Entry[]).flatMap(({ kind, actBy, about }) => {
    const { reason, reasons = [], blocks, operation, byItself = [] } = about;
    const what = [operation, reason, ...reasons].filter((one) => one !== undefined).join(', ');
    const command = NEXT[kind];
    return [
      `${kind}: ${what}${actBy === undefined ? '' : `; act by ${actBy} (${relative(actBy)})`}`,
      ...(blocks === undefined ? [] : [`  blocks ${blocks}, until it is decided`]),
      ...byItself.map((one) => `  by itself: ${timerInWords(one.what)} ${relative(one.at)}`),
      ...(command === undefined ? [] : [`  next: tranche ${command} ${merchant}/${orderId}`]),
    ].map(printableInLine);
  });
}

const NEXT: Readonly<Record<string, string>> = {
  doubt: 'resolve',
  open_to_operator: 'resolve',
  conflict: 'settle',
  candidates: 'timeline',
  frozen: 'timeline',
};

/** The value of a field of the story, by its path: of an operation `operations.COMMAND.field`. */
export function valueAt(story: Timeline, path: string): unknown {
  const [, commandId, field] = /^operations\.(.+)\.(\w+)$/.exec(path) ?? [];
  const { operations, ...rest } = stateOf(story);
  if (commandId !== undefined) {
    const found = operations.find((one) => one.commandId === commandId);
    return found && (found as unknown as Record<string, unknown>)[field!];
  }
  return { ...rest, status: story.status, amounts: story.amounts }[path as 'status'];
}
