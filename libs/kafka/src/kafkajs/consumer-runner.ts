import { setImmediate } from 'node:timers/promises';
import type { Consumer, EachBatchPayload } from 'kafkajs';
import { atMost, type Log } from '@tranche/runtime';
import { ConsumerClosedError } from '../errors.js';
import { isOutage, runAgain } from './outage.js';

export interface ConsumerRunnerOptions {
  consumer: Consumer;
  /** What consumes, for the log and errors. */
  name: string;
  /** With prefix. */
  topics: readonly string[];
  eachBatch: (fetched: EachBatchPayload) => Promise<void>;
  onJoin: (memberAssignment: Record<string, number[]>) => void;
  /** Its group is gone, whoever stopped it: nothing of the group may be called until the next join. */
  onStop?: () => void;
  /** It stopped by itself; `comesBack` by itself too. Not called once it is to stop. */
  onCrash: (error: Error, comesBack: boolean) => void;
  /** It was to come back and did not. */
  onLost: (error: unknown) => void;
  log: Log;
}

const leaveMs = 5_000;

/**
 * A kafkajs consumer from its connection to its end. kafkajs forgets a join that is under way when it is disconnected: the member comes into being
 * afterwards, has its partitions, and can't be stopped. So whatever joins comes to its end first, and then the member leaves.
 */
export class ConsumerRunner {
  #isStopping = false;
  /** Joins under way: ours, and those that kafkajs begins by itself. */
  #joins = 0;
  #starting: Promise<void> | undefined;
  /** Settles when kafkajs joins no more, by whatever end; never rejects. */
  #joining: Promise<void> = Promise.resolve();
  #joinEnded: () => void = () => undefined;

  constructor(private readonly options: ConsumerRunnerOptions) {}

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** It is to stop, and kafkajs is about to make a member: better not. */
  get isJoiningInVain(): boolean {
    return this.#isStopping && this.#joins > 0;
  }

  /**
   * Resolves when the group has been joined, after what is to be asked before. Rejects with what failed, or with ConsumerClosedError
   * when it was stopped meanwhile; nothing stays connected then.
   */
  start(ask: () => Promise<void>): Promise<void> {
    this.#starting = this.#start(ask);
    return this.#starting;
  }

  /** Lets the work come to its end, then leaves the group in any case; waits 5 s for that, which goes on where Kafka is away. */
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
      await consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch });
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

  /** kafkajs starts again by itself, and says nothing more of it than that the group was joined, or the next crash. */
  #expectJoin(): void {
    this.#joins++;
    this.#joining = new Promise<void>((resolve) => (this.#joinEnded = resolve)).then(async () => {
      this.#joins--;
      // It reports the join just before it can be stopped again.
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
