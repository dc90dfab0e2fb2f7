import {
  EXTRADATA_BESIDE_TAG,
  mayGoUntagged,
  METHODS,
  operationKind,
  type Authorization,
  type Capture,
  type CardPayment,
  type CommandType,
  type MerchantRules,
  type Rail,
  type Refund,
  type VoidAuthorization,
} from '@tranche/contracts';
import type { Log } from '@tranche/runtime';
import {
  commandMessage,
  given,
  railOf,
  type CommandMessage,
  type FollowUpOptions,
  type PublishOptions,
} from './commands.js';
import { ClientClosedError, InvalidCommandError, PublishError } from './errors.js';
import { MILLISECONDS } from './options.js';
import type { ResultOf } from './payment-events.js';
import { PublishedIds } from './published-ids.js';
import type { ResultWaits, WaitOptions } from './result-waits.js';

/** Only one method has voids. If there were more, a void would have to name its rail. */
const RAIL_OF_VOIDS = METHODS.A.rail;

export interface Published {
  id: string;
  /** Topic name with prefix. */
  topic: string;
  partition: number;
  offset: bigint;
  /** Absent if there are none. `extra_data_leaves_no_room`: see EXTRADATA in the README. */
  warnings?: readonly 'extra_data_leaves_no_room'[];
}

export interface PublisherOptions {
  source: string;
  /**
   * Resolves when all in-sync replicas have the command.
   * @throws PublishError or ClientClosedError
   */
  send: (message: CommandMessage) => Promise<Published>;
  waits: ResultWaits;
  log: Log;
  /** Entries of the merchants whose commands are also checked by their merchant's rules. */
  merchants?: readonly MerchantRules[];
  now?: () => Date;
}

/**
 * Publishes commands to the topic of their rail. Each method resolves when the command is durable; the outcome follows as an event. Rejects
 * with InvalidCommandError (nothing was sent), PublishError (says whether it may have been written) or ClientClosedError.
 */
export class Publisher {
  readonly #options: PublisherOptions;
  readonly #published = new PublishedIds();
  #hasWarned = false;

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** Publishes `payment.authorize` on the rail of the payment option. */
  async authorize(command: Authorization, options: PublishOptions): Promise<Published> {
    return this.#publish('payment.authorize', railOf(command), command, options);
  }

  /** Publishes `payment.pay`. Set `tokenizedAt`; otherwise the token's 15 minutes count from `time`, which a retry changes. */
  async pay(command: CardPayment, options: PublishOptions): Promise<Published> {
    return this.#publish('payment.pay', METHODS.card.rail, command, options);
  }

  async capture(command: Capture, options: FollowUpOptions): Promise<Published> {
    return this.#publish('payment.capture', given(options).rail, command, options);
  }

  async refund(command: Refund, options: FollowUpOptions): Promise<Published> {
    return this.#publish('payment.refund', given(options).rail, command, options);
  }

  /** Only for method A: method B has no void, and a card payment cannot be voided. */
  async void(command: VoidAuthorization, options: PublishOptions): Promise<Published> {
    return this.#publish('payment.void', RAIL_OF_VOIDS, command, options);
  }

  /**
   * Publishes, and resolves with the first event that reports the command's result: succeeded, refused, redirect_required, pending,
   * in_doubt, … or `payment.command.rejected`. A duplicate gets its original's result.
   * @throws ResultTimeoutError if no result arrives in time; the outcome is unknown then
   */
  async authorizeAndWait(
    command: Authorization,
    options: PublishOptions & WaitOptions,
  ): Promise<ResultOf<'authorize'>> {
    return this.#publishAndWait<'authorize'>('payment.authorize', railOf(command), command, options);
  }

  async payAndWait(command: CardPayment, options: PublishOptions & WaitOptions): Promise<ResultOf<'pay'>> {
    return this.#publishAndWait<'pay'>('payment.pay', METHODS.card.rail, command, options);
  }

  async captureAndWait(command: Capture, options: FollowUpOptions & WaitOptions): Promise<ResultOf<'capture'>> {
    return this.#publishAndWait<'capture'>('payment.capture', given(options).rail, command, options);
  }

  async refundAndWait(command: Refund, options: FollowUpOptions & WaitOptions): Promise<ResultOf<'refund'>> {
    return this.#publishAndWait<'refund'>('payment.refund', given(options).rail, command, options);
  }

  async voidAndWait(command: VoidAuthorization, options: PublishOptions & WaitOptions): Promise<ResultOf<'void'>> {
    return this.#publishAndWait<'void'>('payment.void', RAIL_OF_VOIDS, command, options);
  }

  #publish(type: CommandType, rail: Rail, command: object, options: PublishOptions): Promise<Published> {
    return this.#send(this.#message(type, rail, command, options));
  }

  async #publishAndWait<K extends 'authorize' | 'capture' | 'refund' | 'void' | 'pay'>(
    type: CommandType,
    rail: Rail,
    command: object,
    options: PublishOptions & WaitOptions,
  ): Promise<ResultOf<K>> {
    const message = this.#message(type, rail, command, options);
    const [fault] = options.timeoutMs === undefined ? [] : MILLISECONDS(options.timeoutMs);
    if (fault !== undefined)
      throw new InvalidCommandError(type, [{ path: 'timeoutMs', code: 'range', message: fault.trim() }]);
    const event = await this.#options.waits.resultOf(message, options, () => this.#send(message));
    return event as ResultOf<K>;
  }

  #message(type: CommandType, rail: Rail, command: object, options: PublishOptions): CommandMessage {
    const { source, merchants = [], now = () => new Date() } = this.#options;
    const message = commandMessage(type, rail, command, options, { source, now: now(), merchants });
    if (this.#published.isOther(message)) throw idReused(message);
    return message;
  }

  async #send(message: CommandMessage): Promise<Published> {
    if (!this.#published.note(message)) throw idReused(message);
    try {
      return this.#withWarnings(message, await this.#options.send(message));
    } catch (error) {
      if (isNotWritten(error)) this.#published.takeBack(message);
      throw error;
    }
  }

  /** Logged once, because a shop that fills EXTRADATA does so with every command. */
  #withWarnings({ id, type, event: { data } }: CommandMessage, published: Published): Published {
    const { extraData } = data as { extraData?: string };
    if (!mayGoUntagged(operationKind(type), extraData)) return published;
    if (!this.#hasWarned)
      this.#options.log.warn(
        { commandId: id, type, code: 'extra_data_leaves_no_room' },
        `extraData above ${EXTRADATA_BESIDE_TAG} characters leaves no room for the operation's tag: if its answer is lost, only an operator can resolve it. Further ones are not logged`,
      );
    this.#hasWarned = true;
    return { ...published, warnings: ['extra_data_leaves_no_room'] };
  }
}

function isNotWritten(error: unknown): boolean {
  return error instanceof ClientClosedError || (error instanceof PublishError && !error.mayBeWritten);
}

/** Reuse by another process is found by the gateway, which rejects with the same code. */
function idReused({ type }: CommandMessage): InvalidCommandError {
  return new InvalidCommandError(type, [
    { path: 'id', code: 'id_reused', message: 'was used for a command with other content' },
  ]);
}
