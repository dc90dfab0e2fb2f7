import {
  EVENT_REQUIREMENTS,
  EVENT_VALUES,
  operationKind,
  type Authorization,
  type Capture,
  type CardPayment,
  type CommandType,
  type EventType,
  type Fault,
  type PaymentEvent,
  type Rail,
  type Refund,
  type VoidAuthorization,
} from '@tranche/contracts';
import type { CommandMessage } from './commands.js';
import type { Published } from './publisher.js';

interface DataOf {
  'payment.authorize': Authorization;
  'payment.pay': CardPayment;
  'payment.capture': Capture;
  'payment.refund': Refund;
  'payment.void': VoidAuthorization;
}

export interface PublishedCommand<T extends CommandType = CommandType> extends Published {
  readonly type: T;
  readonly rail: Rail;
  /** `merchant/orderId`. */
  readonly key: string;
  readonly correlationId: string | undefined;
  readonly time: string;
  readonly data: DataOf[T];
}

/** Missing fields follow from the command: merchant, orderId, commandId, operation, attempt 1, origin `answer`. */
export interface ScriptedAnswer {
  type: EventType;
  data?: Partial<PaymentEvent>;
}

type Answers = ScriptedAnswer | readonly ScriptedAnswer[] | undefined | void;

/** Plays the gateway for commands of one type. Without an answer, no event is published. */
export type Script<T extends CommandType> = (command: PublishedCommand<T>) => Answers | Promise<Answers>;

export function publishedCommand({ type, rail, key, event }: CommandMessage, at: Published): PublishedCommand {
  return { ...at, type, rail, key, correlationId: event.correlationid, time: event.time, data: event.data };
}

/** Adds the fields that events of this type require and that follow from the command. */
export function filledIn({ id, type, event }: CommandMessage, answer: ScriptedAnswer): PaymentEvent {
  const { merchant, orderId } = event.data;
  const known: PaymentEvent = {
    merchant,
    orderId,
    commandId: id,
    operation: operationKind(type),
    attempt: 1,
    origin: 'answer',
  };
  const names: readonly string[] = ['merchant', 'orderId', 'commandId', ...EVENT_REQUIREMENTS[answer.type]];
  const fields = Object.fromEntries(Object.entries(known).filter(([name]) => names.includes(name)));
  return { ...(fields as unknown as PaymentEvent), ...answer.data };
}

/** Faults for values that this version's gateway would not write. Readers accept them, because a later gateway may. */
export function unknownValues(event: PaymentEvent): Fault[] {
  const fields = Object.entries(EVENT_VALUES) as [keyof typeof EVENT_VALUES, readonly string[]][];
  return fields
    .filter(([name, known]) => event[name] !== undefined && !known.includes(event[name]))
    .map(([path, known]) => ({ path, code: 'enum', message: `must be one of ${known.join(', ')}` }));
}
