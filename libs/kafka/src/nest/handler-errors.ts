import { RpcException } from '@nestjs/microservices';

/**
 * Thrown by a handler whose record cannot be handled now: the record stays where it is, its key waits with a growing delay and is
 * tried again without limit. Other keys go on. Given up only when the partition is taken away or the service stops.
 */
export class RetryableError extends RpcException {
  override readonly name = 'RetryableError';

  constructor(message: string, options?: { cause?: unknown }) {
    super(message);
    if (options) this.cause = options.cause;
  }

  /** Nest sends this to the transport: the error itself, so that its class arrives there. */
  override getError(): this {
    return this;
  }
}

/** Thrown by a handler whose record will never succeed: dead letter with this code at once, `withoutContent` without its value. */
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
