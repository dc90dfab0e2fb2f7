import { randomUUID } from 'node:crypto';
import {
  COMMAND_TOPICS,
  contentHash,
  decodeCloudEvent,
  encodeCloudEvent,
  fault,
  isWellFormed,
  orderKey,
  isPaymentOption,
  METHODS,
  PAYMENT_OPTIONS,
  RAILS,
  validateCommandData,
  type CloudEvent,
  type CommandData,
  type CommandRules,
  type CommandType,
  type EncodedEvent,
  type Fault,
  type Rail,
} from '@tranche/contracts';
import { InvalidCommandError } from './errors.js';

export interface PublishOptions {
  /**
   * Identifies the operation for ever: the gateway executes an id once, and answers a repeat with the result that it had. Make it
   * (`newCommandId()`) and store it with the order **before** publishing, so that after a time-out or a crash the same id goes out again; an id
   * made anew at each try pays twice. 1 to 128 characters.
   */
  id: string;
  /** Comes back in every event of the command. */
  correlationId?: string;
  /** What the gateway's merchants file sets for the merchant, so that its faults are found before anything is published. */
  rules?: CommandRules;
  /**
   * When the command was made (now). RFC 3339; the gateway refuses what is older than 7 days. Where the id is not of `newCommandId()`, store it with the
   * id and give it again with a repeat: an id of another shape does not say how old it is.
   */
  time?: string | Date;
}

export interface FollowUpOptions extends PublishOptions {
  /** The rail that the order was authorized or paid on: order is kept within a rail. */
  rail: Rail;
}

export interface CommandMessage {
  readonly id: string;
  readonly type: CommandType;
  readonly rail: Rail;
  /** Without prefix. */
  readonly topic: string;
  /** `merchant/orderId`. */
  readonly key: string;
  readonly event: CloudEvent<CommandData>;
  readonly encoded: EncodedEvent;
  /** The same for the same content, whatever the order of its fields, its time and its trace. */
  readonly contentHash: string;
}

/**
 * A command id: unguessable, never the same. It carries the time at which it was made (UUID version 7, RFC 9562), so that the gateway knows how
 * old the command is, whatever time a repeat has.
 */
export function newCommandId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  const ofVersion4 = randomUUID();
  return `${time.slice(0, 8)}-${time.slice(8)}-7${ofVersion4.slice(15)}`;
}

/** The rail of an authorization, by its payment option. What is no option at all is refused on either. */
export function railOf(command: unknown): Rail {
  const { paymentOption } = (typeof command === 'object' && command !== null ? command : {}) as {
    paymentOption?: unknown;
  };
  return METHODS[isPaymentOption(paymentOption) ? PAYMENT_OPTIONS[paymentOption].method : 'A'].rail;
}

/** From JavaScript options may be missing: what is missing of them is then a fault like any other. */
export function given<O extends PublishOptions>(options: O | null | undefined): O {
  return options ?? ({} as O);
}

/** The message of a command, or InvalidCommandError with everything that the gateway would find wrong with it by itself. */
export function commandMessage(
  type: CommandType,
  rail: Rail,
  data: unknown,
  options: PublishOptions,
  { source, now }: { source: string; now: Date },
): CommandMessage {
  if (!RAILS.includes(rail))
    throw new InvalidCommandError(type, [
      fault('rail', 'enum', `must be ${RAILS.slice(0, -1).join(', ')} or ${RAILS.at(-1)}`),
    ]);
  const { id, correlationId, time = now, rules } = given(options);
  const { value, faults } = validateCommandData(rail, type, data, rules);
  const event: CloudEvent<CommandData | undefined> = {
    id,
    source,
    type,
    time: timeText(time),
    ...(value === undefined ? {} : { subject: orderKey(value.merchant, value.orderId) }),
    ...(correlationId === undefined ? {} : { correlationid: correlationId }),
    data: value,
  };
  const all = [...envelopeFaults(event), ...faults];
  if (all.length > 0 || value === undefined) throw new InvalidCommandError(type, all);
  const encoded = encodeCloudEvent(event);
  const topic = COMMAND_TOPICS[rail];
  const key = orderKey(value.merchant, value.orderId);
  return {
    id,
    type,
    rail,
    topic: topic.name,
    key,
    event: event as CloudEvent<CommandData>,
    encoded,
    contentHash: contentHash(type, value),
  };
}

/** The gateway's own reader says what is wrong with the attributes; its names are those of the headers, ours those of the options. */
function envelopeFaults(event: CloudEvent<unknown>): Fault[] {
  const { faults } = decodeCloudEvent({ ...encodeCloudEvent({ ...event, data: {} }), value: Buffer.from('{}') });
  const found = faults.map(({ path, code, message }) => {
    const named = path.replace(/^ce_/, '').replace('correlationid', 'correlationId');
    return fault(named, named === 'id' && event.id === undefined ? 'required' : code, message.replace(path, '').trim());
  });
  for (const name of ['id', 'correlationid'] as const) {
    const text = event[name];
    // As bytes it would be another text than the caller's.
    if (typeof text === 'string' && !isWellFormed(text))
      found.push(fault(name, 'malformed_envelope', 'must be well-formed Unicode'));
  }
  return found;
}

function timeText(time: string | Date): string {
  if (!(time instanceof Date)) return time;
  return Number.isNaN(time.getTime()) ? 'no time' : time.toISOString();
}
