import { RpcException } from '@nestjs/microservices';

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
