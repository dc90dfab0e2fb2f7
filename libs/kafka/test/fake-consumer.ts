import type { ConsumerConfig, EachBatchPayload } from 'kafkajs';
import type * as clients from '../src/kafkajs/kafka-client.js';

interface Fetched {
  readonly offsets: readonly number[];
  /** Start of the fetch (the first offset). */
  readonly from?: number;
  readonly partition?: number;
  /** Offset of the last one that the answer covers (that of the last record): an aborted transaction has no records for readers. */
  readonly last?: number;
  /** Headers of each record. */
  readonly headers?: Record<string, Buffer>;
}

/**
 * A kafkajs consumer of one member that owns `records/0`, or the partitions of its join. Without its group it throws where kafkajs throws.
 */
export class FakeConsumer {
  readonly calls: string[] = [];
  readonly commits: string[] = [];
  hasGroup = false;
  private readonly listeners: { name: string; listener: (event: { payload: object }) => void }[] = [];
  private eachBatch: (fetched: EachBatchPayload) => Promise<void> = () => Promise.resolve();

  constructor(readonly config: ConsumerConfig) {}

  on(name: string, listener: (event: { payload: object }) => void): void {
    this.listeners.push({ name, listener });
  }

  emit(name: string, payload: object = {}): void {
    for (const one of this.listeners) if (one.name === name) one.listener({ payload });
  }

  connect = () => Promise.resolve();
  subscribe = () => Promise.resolve();
  pause = () => this.inGroup('pause');
  resume = () => this.inGroup('resume');
  commitOffsets = () => Promise.resolve();
  seek = ({ offset }: { offset: string }) => this.inGroup(`seek ${offset}`);

  run({ eachBatch }: { eachBatch: FakeConsumer['eachBatch'] }): Promise<void> {
    this.eachBatch = eachBatch;
    this.join();
    return Promise.resolve();
  }

  join(partitions: number[] = [0]): void {
    this.hasGroup = true;
    this.emit('consumer.group_join', { memberAssignment: { records: partitions } });
  }

  /** As kafkajs at a crash: it drops the group and emits that long before it reports the crash. */
  stop(): void {
    this.hasGroup = false;
    this.emit('consumer.stop');
  }

  disconnect(): Promise<void> {
    if (this.hasGroup) this.stop();
    this.calls.push('disconnect');
    return Promise.resolve();
  }

  /** Passes a batch to the consumer, and returns the offset that the consumer resolved. */
  async fetch({
    offsets,
    from = offsets[0],
    last = offsets.at(-1),
    partition = 0,
    headers,
  }: Fetched): Promise<string | undefined> {
    const messages = offsets.map((offset) => ({
      key: Buffer.from(`key ${offset}`),
      value: null,
      offset: String(offset),
      timestamp: '0',
      ...(headers && { headers }),
    }));
    let resolved: string | undefined;
    await this.eachBatch({
      batch: {
        topic: 'records',
        partition,
        messages,
        fetchedOffset: String(from),
        lastOffset: () => String(last),
        offsetLag: () => '0',
      },
      isStale: () => false,
      resolveOffset: (offset: string) => void (resolved = offset),
      commitOffsetsIfNecessary: (offsets: unknown) => Promise.resolve(void this.commits.push(JSON.stringify(offsets))),
    } as unknown as EachBatchPayload);
    return resolved;
  }

  /** The event that kafkajs emits, in place of a batch, for offsets without records for readers. */
  pass(first: number, last: number, partition = 0): void {
    const offsets = { firstOffset: String(first), lastOffset: String(last) };
    this.emit('consumer.end_batch_process', { topic: 'records', partition, batchSize: 0, ...offsets });
  }

  private inGroup(call: string): void {
    if (!this.hasGroup) throw new Error('Consumer group was not initialized, consumer#run must be called first');
    this.calls.push(call);
  }
}

/** Replaces a mocked `kafka-client.js`: topic `records` with two partitions of 10,000 offsets and no commits; `made` gets each consumer. */
export function fakeKafka(mocked: typeof clients, made: (consumer: FakeConsumer) => void): void {
  const { kafkaOf, withAdmin, askAdmin, missingTopics, shownTopics } = jest.mocked(mocked);
  const consumer = (config: ConsumerConfig) => {
    const fake = new FakeConsumer(config);
    made(fake);
    return fake;
  };
  kafkaOf.mockReturnValue({ consumer } as never);
  withAdmin.mockImplementation((_client, use) =>
    use({
      fetchOffsets: () =>
        Promise.resolve([
          { topic: 'records', partitions: [0, 1].map((partition) => ({ partition, offset: '-1', metadata: null })) },
        ]),
      fetchTopicOffsets: () => Promise.resolve([0, 1].map((partition) => ({ partition, low: '0', high: '10000' }))),
    } as never),
  );
  missingTopics.mockImplementation((_admin, topics) => Promise.resolve(topics.filter((topic) => topic !== 'records')));
  shownTopics.mockImplementation((_admin, topics) =>
    Promise.resolve(topics.every((topic) => topic === 'records') ? [{ name: 'records', partitions: [] }] : undefined),
  );
  askAdmin.mockImplementation((_client, ask) => mocked.withAdmin(_client, ask));
}
