import * as kafka from '@tranche/kafka';
import { Metrics } from '@tranche/service-kit';
import { silentLog } from '@tranche/runtime';
import type { KafkaParts } from '../src/gateway-kafka.module.js';

export interface Written {
  key: string | null;
  value: Buffer | null;
  headers?: Record<string, string>;
}

/** A topic of one partition at a broker. The spec mocks `LogReader` of `@tranche/kafka` by `jest.fn()`. */
export class LogInMemory {
  readonly records: Written[] = [];
  readonly sent: object[] = [];
  isAway = false;
  reads = 0;

  constructor() {
    (kafka.LogReader as unknown as jest.Mock).mockReset().mockImplementation(() => this.#reader());
  }

  get parts(): KafkaParts {
    const producer = { send: (record: Written) => this.#send(record) };
    return { client: {}, log: silentLog, metrics: new Metrics('spec'), producer } as unknown as KafkaParts;
  }

  #send(record: Written): Promise<{ offset: bigint }> {
    if (this.isAway) return Promise.reject(new Error('Kafka is away'));
    this.sent.push(record);
    return Promise.resolve({ offset: BigInt(this.records.push(record) - 1) });
  }

  #reader() {
    const bounds = () =>
      this.isAway
        ? Promise.reject(new Error('Kafka is away'))
        : Promise.resolve({ low: 0n, high: BigInt(this.records.length), topicId: 'one' });
    const { records } = this;
    const counted = () => this.reads++;
    let isReading = false;
    async function* read(_partition: number, from: bigint, until: bigint) {
      if (isReading) throw new Error('the partition is being read already');
      isReading = true;
      counted();
      await bounds().finally(() => (isReading = false));
      if (from < until)
        yield records
          .slice(Number(from), Number(until))
          .map((record, at) => ({ headers: {}, timestampMs: 0, ...record, offset: from + BigInt(at) }));
    }
    return { bounds, read, close: () => Promise.resolve() };
  }
}
