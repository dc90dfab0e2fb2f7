import type { EventBody, OperationState, OrderState, ProjectedEvent } from './order-state.js';

/** An event that a record brought about; a repeat is the same event once more. */
export interface Effect {
  event: ProjectedEvent;
  isRepeat?: boolean;
}

/** The next state of an order while one record is folded into it. */
export interface Draft {
  order: OrderState;
  effects: Effect[];
  at: string;
  put(operation: OperationState): void;
  /** Publishes an event that does not become the operation's latest: a conflict, a reminder. */
  publish(type: string, operation: OperationState | undefined, body: EventBody): ProjectedEvent;
  /** Puts the operation and publishes `payment.OPERATION.NAME`, which becomes its latest event. */
  putAndPublish(operation: OperationState, name: string, body: EventBody): void;
}

/** `hash`: of the record. */
export function draft(order: OrderState, offset: bigint, at: string, hash: string): Draft {
  const next: Draft = {
    order: copyWith(order, { lastOffset: offset.toString() }),
    effects: [],
    at,
    put(operation) {
      const known = next.order.operations.find((other) => other.commandId === operation.commandId);
      const began = next.order.movedAt;
      const since = known?.phase === operation.phase ? known.since : began;
      const state = compact(copyWith(operation, { since }));
      next.order.operations = known
        ? next.order.operations.map((other) => (other === known ? state : other))
        : [...next.order.operations, state];
    },
    publish(type, operation, body) {
      const complete = compact(Object.assign(describe(operation), body));
      const alike = next.effects.flatMap(({ event, isRepeat }) => (event.type === type && !isRepeat ? [event] : []));
      const own = alike.find(({ body: { commandId } }) => commandId !== undefined && commandId === complete.commandId);
      if (own) {
        own.body = withMore(own, complete);
        return own;
      }
      const nth = alike.length > 0 ? alike.length : undefined;
      const { correlationId } = operation ?? {};
      const event: ProjectedEvent = compact({
        type,
        offset: next.order.lastOffset,
        record: hash,
        nth,
        time: at,
        correlationId,
        body: complete,
      });
      next.effects.push({ event });
      return event;
    },
    putAndPublish(operation, name, body) {
      const event = next.publish(`payment.${operation.operation}.${name}`, operation, body);
      next.put(copyWith(operation, { latest: withoutHtml(event) }));
    },
  };
  return next;
}

/** The value with these properties: `{ ...value, ...more }`, for which Node.js 20 takes 1.6 µs a new property (docs/decisions/0111). */
export const copyWith = <T extends object>(value: T, more: Partial<T>): T => Object.assign({}, value, more);

export const CONFLICT = 'payment.conflict.detected';

/** A record brings about one event of a type for an operation: what is reported next goes into it. Flags of a success say that it is published again. */
function withMore({ type, body }: ProjectedEvent, more: EventBody): EventBody {
  const { flags = [] } = body;
  return compact({
    ...more,
    ...body,
    flags: type === CONFLICT ? [...new Set([...flags, ...(more.flags ?? [])])] : body.flags,
  });
}

/** What every event of an operation says. */
export function describe(operation: OperationState | undefined): EventBody {
  if (operation === undefined) return {};
  const { commandId, operation: kind, method, attempt, amount, currency, transactionId, partial, flags } = operation;
  const body: EventBody = { commandId, operation: kind, method, attempt };
  if (amount !== undefined) body.amount = amount;
  body.currency = currency;
  if (transactionId !== undefined) body.transactionId = transactionId;
  if (partial !== undefined) body.partial = partial;
  if (flags !== undefined) body.flags = flags;
  return body;
}

/** State must stay small: REDIRECTHTML is kept apart, for a day. */
function withoutHtml(event: ProjectedEvent): ProjectedEvent {
  if (event.body.redirectHtml === undefined) return event;
  const { redirectHtml, ...body } = event.body;
  return { ...event, body };
}

/** Without the properties that are undefined, so that a state equals itself after a trip through JSON. The value itself where it has none. */
export function compact<T extends object>(value: T): T {
  for (const name in value) if (value[name] === undefined) return withoutUndefined(value);
  return value;
}

function withoutUndefined<T extends object>(value: T): T {
  const kept = {} as T;
  for (const name in value) if (value[name] !== undefined) kept[name] = value[name];
  return kept;
}
