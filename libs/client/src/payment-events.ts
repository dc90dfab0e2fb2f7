import {
  EVENT_ALTERNATIVES,
  EVENT_REQUIREMENTS,
  type CloudEvent,
  type EventType,
  type OperationKind,
  type PaymentEvent,
} from '@tranche/contracts';

const ORDER = ['merchant', 'orderId'] as const;
const OPERATION = [...ORDER, 'commandId', 'operation'] as const;

/** Required fields by ending: the contracts' EVENT_REQUIREMENTS as types. */
export const FIELDS_OF_ENDING = {
  succeeded: [...OPERATION, 'attempt', 'origin'],
  refused: [...OPERATION, 'attempt', 'origin'],
  rejected: [...OPERATION, 'faults'],
  in_doubt: [...OPERATION, 'attempt'],
  doubt_resolved: [...OPERATION, 'attempt', 'outcome', 'origin'],
  redirect_required: [...OPERATION, 'attempt'],
  pending: [...OPERATION, 'attempt'],
  expired: [...OPERATION, 'attempt'],
} as const satisfies Record<string, readonly (keyof PaymentEvent)[]>;

export const FIELDS_OF_OTHERS = {
  'payment.capture_window.closing': [...ORDER, 'commandId'],
  'payment.operation.external': [...ORDER, 'origin'],
  'payment.conflict.detected': [...ORDER, 'flags'],
  'payment.command.rejected': [...ORDER, 'faults'],
} as const satisfies Partial<Record<EventType, readonly (keyof PaymentEvent)[]>>;

type Ending = keyof typeof FIELDS_OF_ENDING;
type Other = keyof typeof FIELDS_OF_OTHERS;

type SureField<T extends EventType> = T extends Other
  ? (typeof FIELDS_OF_OTHERS)[T][number]
  : T extends `payment.${OperationKind}.${infer E extends Ending}`
    ? (typeof FIELDS_OF_ENDING)[E][number]
    : never;

/** The data of an event of this type; its required fields are not optional. Of alternative fields (`EVENT_ALTERNATIVES`) it has one. */
export type EventData<T extends EventType> = T extends keyof typeof EVENT_ALTERNATIVES
  ? SureData<T> & OneOfFields<(typeof EVENT_ALTERNATIVES)[T][number]>
  : SureData<T>;

type SureData<T extends EventType> = PaymentEvent & {
  [Field in SureField<T>]-?: NonNullable<PaymentEvent[Field]>;
};

/** One of these fields is there, the others are not. */
type OneOfFields<Field extends keyof PaymentEvent> = {
  [There in Field]: { [One in There]-?: Exclude<PaymentEvent[One], false | undefined> } & {
    [Other in Exclude<Field, There>]?: never;
  };
}[Field];

/** A result event of this type; for a union of types, discriminated by `type`. */
export type EventOf<T extends EventType> = T extends EventType
  ? Omit<CloudEvent<EventData<T>>, 'type'> & { type: T }
  : never;

/** Types of events that can answer a command of this kind. */
export type ResultType<K extends OperationKind> =
  Extract<EventType, `payment.${K}.${string}`> | 'payment.command.rejected';

export type ResultOf<K extends OperationKind> = EventOf<ResultType<K>>;

export function sureFields(type: EventType): readonly (keyof PaymentEvent)[] {
  return EVENT_REQUIREMENTS[type];
}

const RESULT_TYPE = /^payment\.(?:authorize|capture|refund|void|pay)\./;

/** True for events that report a command's result. A closing capture window names a command too, but reports no result. */
export function isResultType(type: string): boolean {
  return RESULT_TYPE.test(type) || type === 'payment.command.rejected';
}
