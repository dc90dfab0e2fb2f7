import type { Fault } from '@tranche/contracts';
import { reasonOf } from '@tranche/runtime';

const FAULTS_IN_MESSAGE = 10;

/** The gateway would reject the command. Nothing was sent. `faults` lists everything that is wrong, without values. */
export class InvalidCommandError extends Error {
  override readonly name = 'InvalidCommandError';
  /** Marks of http-errors: Nest, Fastify, Express and Koa answer a request with 400 and the message if a handler lets the error through. */
  readonly status = 400;
  readonly statusCode = 400;
  readonly expose = true;

  constructor(
    type: string,
    readonly faults: readonly Fault[],
  ) {
    super(`${type} was not published: ${listed(faults)}`);
  }
}

/** `InMemoryTranche.emit` got an event that the gateway could not publish. */
export class InvalidEventError extends Error {
  override readonly name = 'InvalidEventError';

  constructor(
    type: string,
    readonly faults: readonly Fault[],
  ) {
    super(`${type} is no result event: ${listed(faults)}`);
  }
}

/**
 * The command was not acknowledged. If `mayBeWritten` is false, it is not in the topic; otherwise that is unknown. In both cases publishing
 * it again with the same id is safe, because the gateway executes an id once.
 */
export class PublishError extends Error {
  override readonly name = 'PublishError';

  constructor(
    readonly commandId: string,
    readonly topic: string,
    readonly mayBeWritten: boolean,
    options: { cause: unknown },
  ) {
    const known = mayBeWritten ? 'may have been written' : 'was not written';
    super(
      `command ${commandId} ${known} to ${topic} (${reasonOf(options.cause)}); publishing it again with the same id is safe`,
      options,
    );
  }
}

/** No result arrived in time. The command is published and may be executed; its result will still be published as an event. */
export class ResultTimeoutError extends Error {
  override readonly name = 'ResultTimeoutError';

  constructor(
    readonly commandId: string,
    timeoutMs: number,
    /** Set if a command with the same id but other content was rejected meanwhile: the state of the command that the gateway knows. */
    readonly knownState?: string,
  ) {
    const reused =
      knownState === undefined
        ? ''
        : ` The id was used for two contents: one was rejected (id_reused), the one that counts is ${knownState}.`;
    super(
      `no result of command ${commandId} within ${timeoutMs} ms. Its outcome is not known: it may be executed, now or later.${reused} ` +
        'Do not pay by another command; publish the same command with the same id again, or wait for its event in a subscription. ' +
        `A command with a refused signature gets no event: \`tranche commands find ${commandId}\` says why none comes`,
    );
  }
}

/** `maxWaits` is reached. Nothing was sent. */
export class TooManyWaitsError extends Error {
  override readonly name = 'TooManyWaitsError';

  constructor(limit: number) {
    super(`${limit} results are waited for already (maxWaits); nothing was published`);
  }
}

/** The client was closed. Commands that were published remain published. */
export class ClientClosedError extends Error {
  override readonly name = 'ClientClosedError';

  constructor(doing: string, options?: { cause?: unknown }) {
    super(`the Tranche client is closed; ${doing}`, options);
  }
}

export class KafkaUnreachableError extends Error {
  override readonly name = 'KafkaUnreachableError';

  constructor(
    readonly brokers: readonly string[],
    timeoutMs: number,
    options?: { cause?: unknown },
  ) {
    const reason = options?.cause === undefined ? '' : ` (${reasonOf(options.cause)})`;
    super(`Kafka does not answer at ${brokers.join(', ')} within ${timeoutMs} ms${reason}`, options);
  }
}

function listed(faults: readonly Fault[]): string {
  const shown = faults
    .slice(0, FAULTS_IN_MESSAGE)
    .map(({ path, code, message }) => `${path === '' ? 'it' : path} ${message} (${code})`);
  const more = faults.length - shown.length;
  return shown.join('; ') + (more > 0 ? `; and ${more} more` : '');
}
