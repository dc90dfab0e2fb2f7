import { EventPattern, RpcException } from '@nestjs/microservices';
import type { ConsumedRecord } from '../core/record.js';
import type { Slot } from '../core/key-ordered-pool.js';

export interface KafkaHandlerOptions {
  /** CloudEvents types that this handler takes. Without it, it takes every type that no other handler of the topic takes. */
  types?: readonly string[];
}

/**
 * Marks a controller's method as the handler of one or more topics (names without prefix). The method takes `@Payload() record:
 * ConsumedRecord` and optionally `@Ctx() context: KafkaRecordContext`; pipes, guards, interceptors and filters work as usual in Nest. Nest
 * replaces an error by "Internal server error" where no filter takes it: `ProblemFilter` of service-kit passes it on.
 */
export function KafkaHandler(topics: string | readonly string[], options: KafkaHandlerOptions = {}): MethodDecorator {
  return EventPattern([...[topics].flat()], { types: options.types });
}

export class KafkaRecordContext {
  constructor(
    readonly record: ConsumedRecord,
    /** Counts from 1. */
    readonly attempt: number,
    /**
     * Aborts when the partition may be taken away or the service stops. A waiting handler should throw at once; the record is redelivered.
     * A running handler may end, and counts if it does so before the drain is over (`rebalanceDrainMs`, `drainTimeoutMs`).
     */
    readonly signal: AbortSignal,
    private readonly slot: Slot = { withoutSlot: (wait) => wait() },
  ) {}

  /**
   * Runs `wait` without a slot among those in flight, so that other keys can run; the record keeps its key. Afterwards a slot is taken
   * again, in turn, before the promise settles. `wait` must end when `signal` aborts; its rejection then passes through at once.
   */
  withoutSlot<T>(wait: () => Promise<T>): Promise<T> {
    return this.slot.withoutSlot(wait);
  }
}

/**
 * A handler throws this if the record cannot be handled now. The record's key is retried with a growing delay, without limit, until the
 * partition is taken away or the service stops. Other keys continue.
 */
export class RetryableError extends RpcException {
  override readonly name = 'RetryableError';

  constructor(message: string, options?: { cause?: unknown }) {
    super(message);
    if (options) this.cause = options.cause;
  }

  /** Nest passes this value to the transport. It must be the error itself so that its class survives. */
  override getError(): this {
    return this;
  }
}

/** A handler throws this if the record can never succeed: it becomes a dead letter at once, without its value if `withoutContent`. */
export class TerminalError extends RpcException {
  override readonly name = 'TerminalError';

  constructor(
    readonly code: string,
    message: string,
    readonly options: { cause?: unknown; withoutContent?: boolean } = {},
  ) {
    super(message);
    if (options.cause !== undefined) this.cause = options.cause;
  }

  override getError(): this {
    return this;
  }
}
