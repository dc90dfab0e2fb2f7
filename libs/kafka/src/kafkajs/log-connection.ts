import { randomUUID } from 'node:crypto';
import { asError } from '@tranche/runtime';
import type { EachBatchPayload } from 'kafkajs';
import type { LogReaderOptions } from '../log/log-reader.js';
import { ConsumerRunner } from './consumer-runner.js';
import { kafkaOf } from './kafka-client.js';
import { KafkajsPort } from './kafkajs-port.js';

export interface LogConnectionOptions extends LogReaderOptions {
  isWanted: (partition: number) => boolean;
  onJoin: () => void;
  onBatch: (fetched: EachBatchPayload) => void;
  /** Called for offsets without records for readers: control records, and records of an aborted transaction. */
  onNoRecords: (partition: number, first: bigint, last: bigint) => void;
  onEnd: (error: Error) => void;
}

export class LogConnection {
  /** Rejects with the reason if the connection cannot read. */
  readonly connected: Promise<void>;
  readonly #port: KafkajsPort;
  readonly #runner: ConsumerRunner;

  constructor(private readonly options: LogConnectionOptions) {
    const { client, topic, log, isWanted, onJoin, onBatch, onNoRecords, onEnd } = options;
    const groupId = `${client.clientId}.reader.${randomUUID()}`;
    const consumer = kafkaOf(client).consumer({
      groupId,
      sessionTimeout: 6_000,
      heartbeatInterval: 1_500,
      maxWaitTimeInMs: 50,
      maxBytesPerPartition: 512 * 1024,
      maxBytes: 4 * 1024 * 1024,
      allowAutoTopicCreation: false,
      retry: { initialRetryTime: 50, maxRetryTime: 1000, retries: 60 },
    });
    // kafkajs passes such offsets without calling `eachBatch`.
    consumer.on('consumer.end_batch_process', ({ payload: { partition, batchSize, firstOffset, lastOffset } }) => {
      if (batchSize === 0) onNoRecords(partition, BigInt(firstOffset ?? lastOffset), BigInt(lastOffset));
    });
    this.#port = new KafkajsPort({ client, groupId, topicPrefix: '', consumer });
    this.#runner = new ConsumerRunner({
      consumer,
      name: `the reader of ${topic}`,
      topics: [topic],
      eachBatch: (fetched) => Promise.resolve(onBatch(fetched)),
      onJoin: (memberAssignment) => {
        this.#port.begin();
        for (const partition of memberAssignment[topic] ?? []) if (!isWanted(partition)) this.pause(partition);
        onJoin();
      },
      onStop: () => this.#port.end(),
      onCrash: (error, comesBack) => {
        log.warn({ topic, error: String(error), comesBack }, 'reading the log stopped');
        if (!comesBack) onEnd(error);
      },
      onLost: (error) => onEnd(asError(error)),
      log,
    });
    this.connected = this.#runner
      .start(() => Promise.resolve())
      .catch((error: Error) => {
        onEnd(error);
        throw error;
      });
    // The reads get the rejection; this only avoids an unhandled one.
    this.connected.catch(() => undefined);
  }

  /** Has no effect before the group is joined; `onJoin` then asks for it. */
  setPosition(partition: number, offset: bigint): void {
    const { topic } = this.options;
    this.#port.seek({ topic, partition }, offset);
    this.#port.resume({ topic, partition });
  }

  pause(partition: number): void {
    this.#port.pause({ topic: this.options.topic, partition });
  }

  resume(partition: number): void {
    this.#port.resume({ topic: this.options.topic, partition });
  }

  close(): Promise<void> {
    return this.#runner.stop();
  }
}
