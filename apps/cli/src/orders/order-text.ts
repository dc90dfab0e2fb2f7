import type { OperationState, OrderState } from '@tranche/order-journal';
import type { Order, Timeline } from '../api/operations.js';
import { money, relative, type Column } from '../output/output.js';
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

/** Lists what the platform reported of the order that no command asked for, as what was made by hand in the back office. */
export function elsewhereText(order: Order): string[] {
  const { external = [], operations } = order.state as Partial<OrderState>;
  return external.map(({ operation, result, amount, transactionId }) => {
    const parts = [operation, result, money(amount, operations?.[0]?.currency), transactionId];
    return printableInLine(`made elsewhere: ${parts.filter((one) => one !== undefined).join(', ')}`);
  });
}

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
