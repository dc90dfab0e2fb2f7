export const OPERATION_KINDS = ['authorize', 'capture', 'refund', 'void', 'pay'] as const;
export type OperationKind = (typeof OPERATION_KINDS)[number];

export const COMMAND_TYPES = OPERATION_KINDS.map((kind) => `payment.${kind}` as const);
export type CommandType = (typeof COMMAND_TYPES)[number];

const ENDINGS = ['succeeded', 'refused', 'rejected', 'in_doubt', 'doubt_resolved'] as const;
type OperationEventType = `payment.${OperationKind}.${(typeof ENDINGS)[number]}`;

/** `refused`: by the platform. `rejected`: by us, without execution. Card payments may be pending too (docs/decisions/0032). */
export const EVENT_TYPES = [
  ...OPERATION_KINDS.flatMap((kind) => ENDINGS.map((ending): OperationEventType => `payment.${kind}.${ending}`)),
  'payment.authorize.redirect_required',
  'payment.authorize.pending',
  'payment.authorize.expired',
  'payment.pay.redirect_required',
  'payment.pay.pending',
  'payment.capture_window.closing',
  'payment.operation.external',
  'payment.conflict.detected',
  'payment.command.rejected',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export const NOTIFICATION_TYPE = 'payment.notification.received';

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
