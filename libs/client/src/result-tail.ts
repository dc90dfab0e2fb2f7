import { TOPICS, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
import { LogFollower, type ConsumedRecord, type KafkaClient } from '@tranche/kafka';
import type { Log } from '@tranche/runtime';
import type { ClientChecks } from './telemetry.js';
import { ClientClosedError } from './errors.js';
import { readEvent, isResultType } from './payment-events.js';

interface ResultTailOptions {
  client: KafkaClient;
  topicPrefix: string;
  log: Log;
  checks: ClientChecks;
  onEvent: (event: CloudEvent<PaymentEvent>) => void;
}

interface Listening {
  /** Resolves when every event published from now on will be received. */
  readonly begun: Promise<void>;
  readonly failure: () => string | undefined;
  readonly end: () => Promise<void>;
}

/** Reads every result event from the first `listen()` on, for all waits of a client; commits nothing. */
export class ResultTail {
  #listening: Listening | undefined;
  #isClosed = false;

  constructor(private readonly options: ResultTailOptions) {}

  /** Resolves when every event published from now on will be received. A tail that stopped for good is replaced. */
  async listen(): Promise<void> {
    if (this.#isClosed) throw new ClientClosedError('no result is listened for');
    const listening = (this.#listening ??= this.#begin());
    try {
      await listening.begun;
      if (listening.failure() === undefined) return;
      this.#forget(listening);
      await listening.end();
    } catch (error) {
      this.#forget(listening);
      await listening.end();
      throw error;
    }
    return this.listen();
  }

  /** May be called while the tail starts; `listen` then rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#listening?.end();
  }

  #forget(listening: Listening): void {
    if (this.#listening === listening) this.#listening = undefined;
  }

  #begin(): Listening {
    const { client, topicPrefix, log, checks, onEvent } = this.options;
    const health = checks.part();
    let failure: () => string | undefined = () => undefined;
    const follower = new LogFollower({
      client,
      topic: TOPICS.events.name,
      topicPrefix,
      log,
      health: {
        addReadiness: (name, check) => health.addReadiness(name, check),
        addLiveness: (name, check) => health.addLiveness(name, (failure = check)),
      },
    });
    const onRecords = (_partition: number, records: ConsumedRecord[]) => {
      for (const record of records) {
        const read = readEvent(record, isResultType);
        if (read.read === 'event') onEvent(read.event);
      }
    };
    const end = async () => {
      health.drop();
      await follower.stop();
    };
    return { begun: follower.start({ onRecords, takesUnreadable: true }), failure: () => failure(), end };
  }
}
