/** Says what of an order needs a person. */
import {
  CAPTURE_WINDOW_MS,
  conflictsOf,
  findOperation,
  isCapturable,
  isInDoubt,
  isStillWaiting,
  operationIdOf,
  operatorFromMs,
  timersOf,
  windowFrom,
  type OperationState,
  type OrderState,
} from '@tranche/order-journal';
import { compact } from '@tranche/runtime';

interface Attention {
  /** Id of the operation, as the gateway's routes take it. */
  id: string;
  kind: 'doubt' | 'conflict' | 'candidates' | 'open_to_operator' | 'frozen';
  since: string;
  /** Nobody can decide it before. */
  openFrom: string;
  /** A later decision may be too late: the time of what happens by itself, or of what is lost. */
  actBy?: string;
  urgentAt: string;
  amount?: number;
  currency?: string;
  body: object;
}

const DAY_MS = 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const EPOCH = iso(0);

export function attentionOf(order: OrderState): Attention[] {
  const doubts = order.operations.filter(isInDoubt).map((operation) => ofDoubt(order, operation));
  const waiting = order.operations
    .filter((operation) => isStillWaiting(order, operation))
    .map((operation) => ofWaiting(order, operation));
  return [...doubts, ...ofConflicts(order), ...waiting, ...(order.isFrozen ? [ofFrozen(order)] : [])];
}

type Made = Omit<Attention, 'openFrom' | 'urgentAt'> & { openFrom?: string };

/** Without a time by which a person must act, a day is left. */
const item = ({ openFrom = EPOCH, ...made }: Made): Attention => ({
  ...made,
  openFrom,
  urgentAt: made.actBy ?? iso(Math.max(Date.parse(made.since), Date.parse(openFrom)) + DAY_MS),
});

const idOf = ({ merchant, orderId }: OrderState, commandId = '-'): string =>
  operationIdOf({ merchant, orderId, commandId });

/** A payment of the order can be captured until then. */
function captureEnds(order: OrderState): string | undefined {
  const authorization = order.operations.findLast((operation) => isCapturable(order, operation));
  const from = authorization && windowFrom(authorization);
  return from === undefined ? undefined : iso(Date.parse(from) + CAPTURE_WINDOW_MS);
}

/** Lists what time alone does to the operation, the soonest first. */
function byItself(order: OrderState, commandId: string): { what: string; at: string }[] {
  return timersOf(order)
    .filter((timer) => timer.commandId === commandId)
    .map(({ timer, atMs }) => ({ what: timer, at: iso(atMs) }));
}

function ofDoubt(order: OrderState, operation: OperationState): Attention {
  const { commandId, operation: kind, since = EPOCH, latest, amount, currency } = operation;
  const body = compact({
    ...{ commandId, operation: kind },
    reason: latest?.body.flags?.[0],
    message: latest?.body.message,
    execCode: latest?.body.execCode,
    reports: order.unmatchedEvidence.length,
    blocks: 'commands of this order: order_in_doubt',
    byItself: byItself(order, commandId),
  });
  const actBy = captureEnds(order);
  return item({ id: idOf(order, commandId), kind: 'doubt', since, body, ...compact({ actBy, amount, currency }) });
}

function ofWaiting(order: OrderState, operation: OperationState): Attention {
  const { commandId, operation: kind, phase, since = EPOCH, amount, currency } = operation;
  const timers = byItself(order, commandId);
  const actBy = timers.find(({ what }) => what === 'expiry')?.at;
  return item({
    ...{ id: idOf(order, commandId), kind: 'open_to_operator', since, openFrom: iso(operatorFromMs(operation)) },
    ...compact({ actBy, amount, currency }),
    body: { commandId, operation: kind, phase, byItself: timers },
  });
}

/** Each amount that the journal, or a report, gives; undefined where there are not several. */
function amountsOf(...amounts: readonly (number | undefined)[]): number[] | undefined {
  const several = [...new Set(amounts.filter((one) => one !== undefined))];
  return several.length > 1 ? several : undefined;
}

/** An order has one entry for each operation and kind. */
function ofConflicts(order: OrderState): Attention[] {
  const entries = new Map<
    string,
    Attention & { body: { reasons: string[]; conflictIds: string[]; amounts?: number[] } }
  >();
  for (const { id, reason, commandId, operation, amount, transactionId, payments } of conflictsOf(order)) {
    const own = findOperation(order, commandId ?? '');
    const amounts = amountsOf(amount, ...(own?.otherAmounts ?? []), ...(payments ?? []).map((one) => one.amount));
    const kind = reason === 'transaction_assumed' ? 'candidates' : 'conflict';
    const known = entries.get(`${kind} ${commandId}`);
    if (known !== undefined) {
      known.body.reasons.push(reason);
      known.body.conflictIds.push(idOf(order, id));
      const both = amountsOf(...(known.body.amounts ?? []), ...(amounts ?? []));
      if (both !== undefined) known.body.amounts = both;
      continue;
    }
    const made = item({
      ...{ id: idOf(order, commandId), kind, since: order.movedAt ?? EPOCH },
      ...compact({ actBy: captureEnds(order), amount, currency: own?.currency ?? order.operations[0]?.currency }),
      body: {},
    });
    const of = compact({ commandId, operation, transactionId, payments, amounts });
    const body = { ...of, reasons: [reason as string], conflictIds: [idOf(order, id)] };
    entries.set(`${kind} ${commandId}`, { ...made, body });
  }
  return [...entries.values()];
}

const ofFrozen = (order: OrderState): Attention =>
  item({
    ...{ id: idOf(order), kind: 'frozen', since: order.movedAt ?? EPOCH },
    body: { blocks: 'every command of this order: order_frozen' },
  });
