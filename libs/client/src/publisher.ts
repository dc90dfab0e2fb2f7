import {
  EXTRADATA_BESIDE_TAG,
  mayGoUntagged,
  METHODS,
  operationKind,
  type Authorization,
  type Capture,
  type CardPayment,
  type CommandType,
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
import type { ResultOf } from './payment-events.js';
import { PublishedIds } from './published-ids.js';
import type { ResultWaits, WaitOptions } from './result-waits.js';

/** The one method whose authorizations can be voided: where there are more, a void has to name its rail. */
const RAIL_OF_VOIDS = METHODS.A.rail;

export interface Published {
  /** The command's. */
  id: string;
  /** With prefix. */
  topic: string;
  partition: number;
  offset: bigint;
  /** Absent where there are none. `extra_data_leaves_no_room`: see EXTRADATA in the README. */
  warnings?: readonly 'extra_data_leaves_no_room'[];
}

export interface PublisherOptions {
  source: string;
  /** Resolves when all replicas in sync have the command; rejects with PublishError or ClientClosedError. */
  send: (message: CommandMessage) => Promise<Published>;
  waits: ResultWaits;
  log: Log;
  now?: () => Date;
}

/**
 * Puts commands on the topic of their rail. Each method resolves when the command is durable, which says nothing about its outcome:
 * that comes as an event. Rejects with InvalidCommandError (nothing sent), PublishError (says whether it may have been written) or
 * ClientClosedError.
 */
export class Publisher {
  readonly #options: PublisherOptions;
  readonly #published = new PublishedIds();
  #hasWarned = false;

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** `payment.authorize`, on the rail of the payment option. */
  async authorize(command: Authorization, options: PublishOptions): Promise<Published> {
    return this.#publish('payment.authorize', railOf(command), command, options);
  }

  /**
   * `payment.pay` with a card token. Give `tokenizedAt`: without it the token's 15 minutes count from `time`, which a repeat moves.
   */
  async pay(command: CardPayment, options: PublishOptions): Promise<Published> {
    return this.#publish('payment.pay', METHODS.card.rail, command, options);
  }

  async capture(command: Capture, options: FollowUpOptions): Promise<Published> {
    return this.#publish('payment.capture', given(options).rail, command, options);
  }

  async refund(command: Refund, options: FollowUpOptions): Promise<Published> {
    return this.#publish('payment.refund', given(options).rail, command, options);
  }

  /** Method A only: method B offers no void, and a card payment can not be voided. */
  async void(command: VoidAuthorization, options: PublishOptions): Promise<Published> {
    return this.#publish('payment.void', RAIL_OF_VOIDS, command, options);
  }

  /**
   * Publishes and resolves with the first event that says what became of the command: succeeded, refused, redirect_required, pending,
   * in_doubt, … or `payment.command.rejected`. A repeated command gets the result that it had. Rejects besides with ResultTimeoutError:
   * the outcome is not known then.
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
    const event = await this.#options.waits.resultOf(message, options, () => this.#send(message));
    return event as ResultOf<K>;
  }

  #message(type: CommandType, rail: Rail, command: object, options: PublishOptions): CommandMessage {
    const { source, now = () => new Date() } = this.#options;
    const message = commandMessage(type, rail, command, options, { source, now: now() });
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

  /** Written to the log once: a shop that fills EXTRADATA does so with every command. */
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

/** Another process may have used it as well: then the gateway rejects it with the same code. */
function idReused({ type }: CommandMessage): InvalidCommandError {
  return new InvalidCommandError(type, [
    { path: 'id', code: 'id_reused', message: 'was used for a command with other content' },
  ]);
}
