import { randomUUID } from 'node:crypto';
import {
  checkCommand,
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
  type CloudEvent,
  type CommandData,
  type CommandType,
  type EncodedEvent,
  type Fault,
  type MerchantRules,
  type Rail,
} from '@tranche/contracts';
import { InvalidCommandError } from './errors.js';

export interface PublishOptions {
  /**
   * Identifies the operation for ever: the gateway executes an id once, and republishes the result for a duplicate. Create it
   * (`newCommandId()`) and store it with the order **before** publishing, so that a retry after a timeout or crash uses the same id; a new
   * id at each try pays twice. 1 to 128 characters.
   */
  id: string;
  /** Copied to every event of the command. */
  correlationId?: string;
  /**
   * Creation time of the command (now), RFC 3339. The gateway refuses commands older than 7 days. If the id is not from `newCommandId()`,
   * store the time with the id and use it again in a retry, because such an id does not contain its age.
   */
  time?: string | Date;
}

export interface FollowUpOptions extends PublishOptions {
  /** The rail of the order's authorization or payment: the order of commands is kept within a rail. */
  rail: Rail;
}

export interface CommandMessage {
  readonly id: string;
  readonly type: CommandType;
  readonly rail: Rail;
  /** Topic name without prefix. */
  readonly topic: string;
  /** `merchant/orderId`. */
  readonly key: string;
  readonly event: CloudEvent<CommandData>;
  readonly encoded: EncodedEvent;
  /** Equal for equal content, regardless of field order, time and trace. */
  readonly contentHash: string;
}

/**
 * Creates an unguessable, unique command id. It contains its creation time (UUID version 7, RFC 9562), so that the gateway knows the
 * command's age even if a retry has another time.
 */
export function newCommandId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  const ofVersion4 = randomUUID();
  return `${time.slice(0, 8)}-${time.slice(8)}-7${ofVersion4.slice(15)}`;
}

/** The rail of an authorization by its payment option. An unknown option gets any rail, because both refuse it. */
export function railOf(command: unknown): Rail {
  const { paymentOption } = (typeof command === 'object' && command !== null ? command : {}) as {
    paymentOption?: unknown;
  };
  return METHODS[isPaymentOption(paymentOption) ? PAYMENT_OPTIONS[paymentOption].method : 'A'].rail;
}

/** JavaScript callers may omit the options; the missing values are then reported as faults. */
export function given<O extends PublishOptions>(options: O | null | undefined): O {
  return options ?? ({} as O);
}

/**
 * Builds the message of a command. `merchants` are the entries that the client was given.
 * @throws InvalidCommandError with every fault that the gateway would find in it, apart from those that need the order, the clock or the
 * gateway's own settings
 */
export function commandMessage(
  type: CommandType,
  rail: Rail,
  data: unknown,
  options: PublishOptions,
  { source, now, merchants = [] }: { source: string; now: Date; merchants?: readonly MerchantRules[] },
): CommandMessage {
  // Without a rail the data are checked by the rules of any, so that all faults are listed at once.
  const [anyRail] = RAILS;
  const isRail = RAILS.includes(rail);
  const { id, correlationId, time = now } = given(options);
  const { merchant: name } = (typeof data === 'object' && data !== null ? data : {}) as { merchant?: unknown };
  const merchant = merchants.find((one) => one.merchant === name);
  const { value, faults } = checkCommand(isRail ? rail : anyRail!, type, data, {
    merchant,
    timeMs: Date.parse(timeText(time)),
  });
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
  if (!isRail) all.unshift(fault('rail', 'enum', `must be ${RAILS.slice(0, -1).join(', ')} or ${RAILS.at(-1)}`));
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

/** Validates the attributes with the gateway's own reader, and converts its header names to option names. */
function envelopeFaults(event: CloudEvent<unknown>): Fault[] {
  const { faults } = decodeCloudEvent({ ...encodeCloudEvent({ ...event, data: {} }), value: Buffer.from('{}') });
  const found = faults.map(({ path, code, message }) => {
    const named = path.replace(/^ce_/, '').replace('correlationid', 'correlationId');
    return fault(named, named === 'id' && event.id === undefined ? 'required' : code, message.replace(path, '').trim());
  });
  for (const name of ['id', 'correlationid'] as const) {
    const text = event[name];
    // Encoding would change the text, because UTF-8 cannot express a lone surrogate.
    if (typeof text === 'string' && !isWellFormed(text))
      found.push(fault(name, 'malformed_envelope', 'must be well-formed Unicode'));
  }
  return found;
}

function timeText(time: string | Date): string {
  if (!(time instanceof Date)) return time;
  return Number.isNaN(time.getTime()) ? 'no time' : time.toISOString();
}
