import type { CloudEvent, PaymentEvent } from '@tranche/contracts';
import { orderKey } from '@tranche/contracts';
import { asError } from '@tranche/runtime';
import type { CommandMessage } from './commands.js';
import { ClientClosedError, PublishError, ResultTimeoutError, TooManyWaitsError } from './errors.js';
import { isResultType } from './payment-events.js';

export interface WaitOptions {
  /** Milliseconds from the call to the result, publishing included (45,000). */
  timeoutMs?: number;
  /** Ends the wait with the signal's reason. A published command remains published, and its outcome is unknown. */
  signal?: AbortSignal;
}

interface ResultWaitsOptions {
  /** Resolves when every event published from now on will be passed to `offer`. */
  listen: () => Promise<void>;
  maxWaits: number;
  /** Prefix of topic names in errors. */
  topicPrefix?: string;
  gauge?: { set(value: number): void };
}

interface Wait {
  resolve(event: CloudEvent<PaymentEvent>): void;
  reject(error: unknown): void;
  /** Set if the id was used with other content: the state of the command that the gateway knows. */
  knownState?: string;
}

const defaultTimeoutMs = 45_000;

/** Waits for results of commands. All waits share one listener. */
export class ResultWaits {
  readonly #waits = new Map<string, Set<Wait>>();
  #count = 0;
  #isClosed = false;

  constructor(private readonly options: ResultWaitsOptions) {}

  get count(): number {
    return this.#count;
  }

  /** Listens before it publishes, so that no result is missed. */
  async resultOf(
    { id, key, topic: unprefixed }: CommandMessage,
    { timeoutMs = defaultTimeoutMs, signal }: WaitOptions,
    publish: () => Promise<unknown>,
  ): Promise<CloudEvent<PaymentEvent>> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new ClientClosedError('nothing was published');
    const topic = (this.options.topicPrefix ?? '') + unprefixed;
    if (this.#count >= this.options.maxWaits) throw new TooManyWaitsError(this.options.maxWaits);
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        this.#remove(waitKey(key, id), wait);
      };
      const wait: Wait = {
        resolve: (event) => (end(), resolve(event)),
        reject: (error) => (end(), reject(asError(error))),
      };
      const onAbort = () => wait.reject(signal?.reason);
      let isPublishing = false;
      const timer = setTimeout(() => {
        const cause = new Error(`Kafka gave no way to hear the result within ${timeoutMs} ms`);
        wait.reject(
          isPublishing
            ? new ResultTimeoutError(id, timeoutMs, wait.knownState)
            : new PublishError(id, topic, false, { cause }),
        );
      }, timeoutMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#add(waitKey(key, id), wait);
      this.options
        .listen()
        .catch((cause: unknown) => {
          throw new PublishError(id, topic, false, { cause });
        })
        // A wait that has ended must not publish.
        .then(() => {
          if (!this.#waits.get(waitKey(key, id))?.has(wait)) return;
          isPublishing = true;
          return publish();
        })
        .catch((error: unknown) => wait.reject(error));
    });
  }

  /** To be called with every received event, also of other clients. */
  offer(event: CloudEvent<PaymentEvent>): void {
    const { merchant, orderId, commandId } = event.data;
    if (commandId === undefined || !isResultType(event.type)) return;
    const isReused = isOfReusedId(event);
    for (const wait of this.#waits.get(waitKey(orderKey(merchant, orderId), commandId)) ?? []) {
      if (isReused) wait.knownState = event.data.knownState ?? 'not known';
      else wait.resolve(event);
    }
  }

  fail({ id, key }: Pick<CommandMessage, 'id' | 'key'>, error: unknown): void {
    for (const wait of this.#waits.get(waitKey(key, id)) ?? []) wait.reject(error);
  }

  close(): void {
    this.#isClosed = true;
    const error = new ClientClosedError('the outcome of the command that was waited for is not known');
    for (const waits of this.#waits.values()) for (const wait of waits) wait.reject(error);
  }

  #counted(change: 1 | -1): void {
    this.#count += change;
    this.options.gauge?.set(this.#count);
  }

  #add(key: string, wait: Wait): void {
    this.#counted(1);
    const waits = this.#waits.get(key) ?? new Set();
    waits.add(wait);
    this.#waits.set(key, waits);
  }

  #remove(key: string, wait: Wait): void {
    const waits = this.#waits.get(key);
    if (!waits?.delete(wait)) return;
    this.#counted(-1);
    if (waits.size === 0) this.#waits.delete(key);
  }
}

/** A rejection for a reused id concerns the other command; the awaited one gets its own event. */
function isOfReusedId({ type, data }: CloudEvent<PaymentEvent>): boolean {
  return type === 'payment.command.rejected' && data.faults?.some(({ code }) => code === 'id_reused') === true;
}

function waitKey(key: string, commandId: string): string {
  return `${commandId}\n${key}`;
}
