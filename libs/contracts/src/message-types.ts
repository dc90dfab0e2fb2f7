export const OPERATION_KINDS = ['authorize', 'capture', 'refund', 'void', 'pay'] as const;
export type OperationKind = (typeof OPERATION_KINDS)[number];

/** Operations that may wait for a cardholder or an approval (docs/decisions/0032). */
const PAYMENT_KINDS = ['authorize', 'pay'] as const satisfies readonly OperationKind[];
export type PaymentKind = (typeof PAYMENT_KINDS)[number];

export const COMMAND_TYPES = OPERATION_KINDS.map((kind) => `payment.${kind}` as const);
export type CommandType = (typeof COMMAND_TYPES)[number];

const NAMES = ['succeeded', 'refused', 'rejected', 'in_doubt', 'doubt_resolved'] as const;
const NAMES_OF_WAITING = ['redirect_required', 'pending', 'expired'] as const;
type NameOfAll = (typeof NAMES)[number];

/** Names that an event about an operation of this kind may have; of several kinds, those that every one of them may have. */
export type EventName<Kind extends OperationKind = OperationKind> = [Kind] extends [PaymentKind]
  ? NameOfAll | (typeof NAMES_OF_WAITING)[number]
  : NameOfAll;

type OperationEventType = `payment.${OperationKind}.${NameOfAll}` | `payment.${PaymentKind}.${EventName<PaymentKind>}`;

/** Type of the event of this name about an operation of this kind. The gateway has no other way to name one. */
export const operationEventType = <Kind extends OperationKind>(kind: Kind, name: EventName<Kind>): OperationEventType =>
  `payment.${kind}.${name}` as OperationEventType;

/** `refused`: by the platform. `rejected`: by us, without execution. `expired`: nobody decided in time. */
export const EVENT_TYPES = [
  ...OPERATION_KINDS.flatMap((kind) => NAMES.map((name) => operationEventType(kind, name))),
  ...PAYMENT_KINDS.flatMap((kind) => NAMES_OF_WAITING.map((name) => operationEventType(kind, name))),
  'payment.capture_window.closing',
  'payment.operation.external',
  'payment.conflict.detected',
  'payment.conflict.settled',
  'payment.command.rejected',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export const NOTIFICATION_TYPE = 'payment.notification.received';
/** Closes an entry of the quarantine, which it names, in the entry's own partition. */
export const REVERIFIED_TYPE = 'payment.notification.reverified';

export const AUTH_EVENT_TYPES = [
  'auth.token.refreshed',
  'auth.token.refused',
  'auth.token.invalidated',
  'auth.entry.tampered',
] as const;
export type AuthEventType = (typeof AUTH_EVENT_TYPES)[number];

export const CSE_EVENT_TYPES = ['cse.key.seen', 'cse.key.rotated', 'cse.key.refused'] as const;
export type CseEventType = (typeof CSE_EVENT_TYPES)[number];

export function isCommandType(type: string): type is CommandType {
  return (COMMAND_TYPES as readonly string[]).includes(type);
}

export function isEventType(type: string): type is EventType {
  return (EVENT_TYPES as readonly string[]).includes(type);
}

export const operationKind = (type: CommandType): OperationKind => type.slice('payment.'.length) as OperationKind;
