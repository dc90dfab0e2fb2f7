import { setImmediate } from 'node:timers/promises';
import type { Consumer, EachBatchPayload } from 'kafkajs';
import { atMost, pauseFor, type Log } from '@tranche/runtime';
import { ConsumerClosedError } from '../errors.js';

interface ConsumerRunnerOptions {
  consumer: Consumer;
  name: string;
  /** Topic names with prefix. */
  topics: readonly string[];
  eachBatch: (fetched: EachBatchPayload) => Promise<void>;
  onJoin: (memberAssignment: Record<string, number[]>) => void;
  /** Called when kafkajs has dropped the group, for any reason. Methods of the group must not be called until the next join. */
  onStop?: () => void;
  /** Called when the consumer stopped by itself; `comesBack` is true if it will restart. Not called once `stop` was called. */
  onCrash: (error: Error, comesBack: boolean) => void;
  onLost: (error: unknown) => void;
  log: Log;
}

const OUTAGES: ReadonlySet<string> = new Set([
  'KafkaJSBrokerNotFound',
  'KafkaJSConnectionClosedError',
  'KafkaJSConnectionError',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSNoBrokerAvailableError',
  'KafkaJSRequestTimeoutError',
  // The token endpoint may be down.
  'OAuthBearerError',
]);

/**
 * Batches that are taken at once. The first one of a fetch waits until its broker may be asked again (`FetchPace`); one after another, what was fetched
 * of other partitions, and from other brokers, would wait with it.
 */
const takenAtOnce = 8;
const leaveMs = 5_000;
const runAgainAfterMs = 500;

/**
 * Runs a kafkajs consumer from its connection to its end. If kafkajs is disconnected during a join, the member is created afterwards, owns
 * partitions, and cannot be stopped. So every join ends first, and only then the member leaves.
 */
export class ConsumerRunner {
  #isStopping = false;
  /** Joins in progress: ours, and those that kafkajs begins by itself. */
  #joins = 0;
  #starting: Promise<void> | undefined;
  /** Settles when kafkajs has ended its own join, with or without success; never rejects. */
  #joining: Promise<void> = Promise.resolve();
  #joinEnded: () => void = () => undefined;

  constructor(private readonly options: ConsumerRunnerOptions) {}

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** True if `stop` was called but kafkajs is about to create a member; the join should then be refused. */
  get isJoiningInVain(): boolean {
    return this.#isStopping && this.#joins > 0;
  }

  /**
   * Calls `ask`, then joins; resolves when the group has been joined. Nothing stays connected after a rejection.
   * @throws ConsumerClosedError if it was stopped meanwhile
   */
  start(ask: () => Promise<void>): Promise<void> {
    this.#starting = this.#start(ask);
    return this.#starting;
  }

  /** Leaves the group even if `finish` fails. Waits at most 5 s for that, which continues in the background if Kafka is down. */
  async stop(finish: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    this.#isStopping = true;
    try {
      await finish();
    } finally {
      await this.#leaveSoon();
    }
  }

  async #leaveSoon(): Promise<void> {
    if (!this.#starting) return;
    const started = this.#starting.catch(() => undefined);
    await atMost(
      leaveMs,
      started.then(() => this.#leave()),
    );
  }

  async #start(ask: () => Promise<void>): Promise<void> {
    const { consumer, topics } = this.options;
    const steps = [
      ask,
      () => this.#connect(),
      () => consumer.subscribe({ topics: [...topics], fromBeginning: true }),
      () => this.#run(),
    ];
    try {
      for (const step of steps) {
        this.#throwIfStopping();
        await step();
      }
      this.#throwIfStopping();
    } catch (error) {
      this.#isStopping = true;
      await this.#leave();
      throw error;
    }
  }

  #throwIfStopping(): void {
    if (this.#isStopping) throw new ConsumerClosedError(`${this.options.name} was closed before it had started`);
  }

  #connect(): Promise<void> {
    const { consumer, onJoin, onStop } = this.options;
    consumer.on('consumer.stop', () => onStop?.());
    consumer.on('consumer.group_join', ({ payload }) => {
      this.#joinEnded();
      onJoin(payload.memberAssignment);
    });
    consumer.on('consumer.crash', ({ payload }) => this.#afterCrash(payload.error, payload.restart));
    return consumer.connect();
  }

  async #run(): Promise<void> {
    const { consumer, eachBatch } = this.options;
    this.#joins++;
    try {
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch,
        partitionsConsumedConcurrently: takenAtOnce,
      });
    } finally {
      this.#joins--;
    }
  }

  #afterCrash(error: Error, restarts: boolean): void {
    const { onCrash, onLost } = this.options;
    this.#joinEnded();
    if (restarts) this.#expectJoin();
    if (this.#isStopping) return;
    const isPassing = isOutage(error);
    if (!restarts && isPassing)
      this.#joining = runAgain(
        () => this.#run(),
        () => this.#isStopping,
        onLost,
      );
    onCrash(error, restarts || isPassing);
  }

  /** kafkajs restarts by itself; the only further sign is a join or the next crash. */
  #expectJoin(): void {
    this.#joins++;
    this.#joining = new Promise<void>((resolve) => (this.#joinEnded = resolve)).then(async () => {
      this.#joins--;
      // kafkajs emits the join just before it can be stopped again.
      await setImmediate();
    });
  }

  async #leave(): Promise<void> {
    const { consumer, log, name } = this.options;
    try {
      await this.#joining;
      await consumer.disconnect();
    } catch (error) {
      log.debug({ error: String(error) }, `${name}: leaving failed`);
    }
  }
}

/** Returns true for an outage, which will end. Without this, kafkajs would give up a consumer for good if it finds no coordinator. */
export function isOutage(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (OUTAGES.has(cause.name)) return true;
  return false;
}

/** Restarts a consumer that kafkajs gave up in an outage, after a delay and unless it is stopping. Never rejects. */
async function runAgain(
  run: () => Promise<void>,
  isStopping: () => boolean,
  onFailure: (error: unknown) => void,
): Promise<void> {
  await pauseFor(runAgainAfterMs);
  if (!isStopping()) await run().catch(onFailure);
}
