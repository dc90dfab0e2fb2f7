import * as kafka from '@tranche/kafka';
import type { BatchingProducer } from '@tranche/kafka';
import { createLogger } from '@tranche/service-kit';
import type { KafkaParts } from '../gateway-kafka.module.js';
import type { GatewayConfig } from '../gateway.config.js';
import type { OperationsService } from '../operations/operations.service.js';
import type { DecisionRecord } from './decision.js';
import { DecisionTopic } from './decision-topic.service.js';
import { ResolutionDecisions } from './resolution-decisions.service.js';

jest.mock('@tranche/kafka', () => ({ ...jest.requireActual<typeof kafka>('@tranche/kafka'), LogReader: jest.fn() }));

interface Written {
  key: string;
  value: Buffer | null;
  unreadable?: string;
}

const viewer = { person: 'carol', role: 'viewer' } as const;
const AT = '2026-03-01T10:00:00.000Z';
const subject = { operation: 'o', merchant: 'shop-fr', seen: '1', resolution: { outcome: 'not_executed' } };
const proposal = {
  ...({ record: 'proposed', id: 'r', kind: 'resolution', about: 'o 1', subject } as const),
  ...{ proposedBy: 'alice', proposedAt: AT, expiresAt: '2026-03-02T10:00:00.000Z' },
} as DecisionRecord;

/** The topic at a broker; counts each read. */
function setUp() {
  const log: Written[] = [];
  const reads: [bigint, bigint][] = [];
  const gate = { opened: Promise.resolve() };
  const closed = jest.fn(() => Promise.resolve());
  const broker = { topicId: 'first' };
  const reader = {
    bounds: async () => {
      const bounds = { low: 0n, high: BigInt(log.length), ...broker };
      await gate.opened;
      return bounds;
    },
    // eslint-disable-next-line @typescript-eslint/require-await
    async *read(_partition: number, from: bigint, until: bigint) {
      if (from >= until) return;
      reads.push([from, until]);
      yield log.slice(Number(from), Number(until)).map((record, at) => ({ ...record, offset: from + BigInt(at) }));
    },
    close: closed,
  };
  const LogReader = kafka.LogReader as unknown as jest.Mock;
  LogReader.mockReset().mockImplementation(() => reader);
  const producer = {
    send: (record: Written) => Promise.resolve({ offset: BigInt(log.push(record) - 1) }),
  } as unknown as BatchingProducer;
  const lines: string[] = [];
  const logger = createLogger({ name: 'spec', destination: { write: (line: string) => void lines.push(line) } });
  const config = { kafkaTopicPrefix: 'p.' } as GatewayConfig;
  const topic = new DecisionTopic(config, { producer, log: logger } as unknown as KafkaParts);
  const clock = { nowMs: () => Date.parse(AT), monotonicMs: () => 0, sleep: () => Promise.resolve() };
  const decisions = new ResolutionDecisions(config, {} as OperationsService, topic, clock, logger);
  return { broker, log, reads, gate, closed, LogReader, topic, decisions, lines };
}

describe('the topic of decisions', () => {
  it('is read by one reader per process, which reads each record once, however many callers there are', async () => {
    const { log, reads, LogReader, topic, decisions, closed } = setUp();
    await topic.append(proposal);
    for (let n = 0; n < 5; n++) expect(await decisions.list(viewer)).toHaveLength(1);
    log.push({ key: 's/1', value: Buffer.from('{') });
    await Promise.all(Array.from({ length: 20 }, () => decisions.list(viewer)));
    expect(reads).toEqual([
      [0n, 1n],
      [1n, 2n],
    ]);
    expect(LogReader).toHaveBeenCalledTimes(1);
    await topic.onApplicationShutdown();
    expect(closed).toHaveBeenCalledTimes(1);
  });

  it.each([0, 1, 2])(
    'is read from its beginning when it was deleted and made again, with %i records',
    async (records) => {
      const { broker, log, topic, decisions, lines } = setUp();
      const append = (id: string) =>
        topic.append({ ...proposal, id, about: `${id} 1`, subject: { ...subject, operation: id } } as DecisionRecord);
      for (const id of ['one', 'two']) await append(id);
      expect(await decisions.list(viewer)).toHaveLength(2);
      log.length = 0;
      broker.topicId = 'second';
      for (let n = 0; n < records; n++) await append(`new ${n}`);
      expect((await decisions.list(viewer)).map(({ id }) => id).sort()).toEqual(Array.from({ length: records }, (_, n) => `new ${n}`)); // prettier-ignore
      expect(lines.filter((line) => line.includes('made anew'))).toHaveLength(1);
    },
  );

  it('gives a caller everything written before its call, also while an older read is in flight', async () => {
    const { gate, topic, decisions } = setUp();
    let open = () => {};
    gate.opened = new Promise((resolve) => (open = resolve));
    const early = decisions.list(viewer);
    const written = topic.append(proposal);
    open();
    await early;
    expect((await written).hasCounted).toBe(true);
    expect(await decisions.list(viewer)).toHaveLength(1);
  });

  it('reports if its own record counts, by the order of the topic', async () => {
    const { log, topic } = setUp();
    await topic.append(proposal);
    const other = { record: 'approved', id: 'r', by: 'carol', at: AT };
    log.push({ key: 'r/of-another-process', value: Buffer.from(JSON.stringify(other)) });
    expect((await topic.append({ record: 'approved', id: 'r', by: 'bob', at: AT })).hasCounted).toBe(false);
  });

  it('has a key of its own for each record: compaction puts none in the place of another', async () => {
    const { log, topic } = setUp();
    await topic.append(proposal);
    await topic.append({ record: 'rejected', id: 'r', by: 'bob', at: AT });
    await topic.append({ record: 'approved', id: 'r', by: 'carol', at: AT });
    expect(new Set(log.map(({ key }) => key)).size).toBe(3);
    expect(log.every(({ key }) => key.startsWith('r/'))).toBe(true);
  });

  it('skips unreadable records, and logs them', async () => {
    const { log, decisions, topic, lines } = setUp();
    log.push({ key: '', value: null, unreadable: 'a codec that nobody knows' });
    await topic.append(proposal);
    expect(await decisions.list(viewer)).toHaveLength(1);
    expect(lines.join()).toContain('a codec that nobody knows');
  });

  it('also holds what `tranche journal` wrote, which is no decision and no fault', async () => {
    const { log, decisions, lines } = setUp();
    const resumed = { record: 'resumed', id: 'j', at: AT, partitions: [3], commands: [] };
    log.push({ key: 'j/1', value: Buffer.from(JSON.stringify(resumed)) });
    expect(await decisions.list(viewer)).toEqual([]);
    expect(lines).toEqual([]);
  });

  it('that ends before the last record read is an error, not an empty list', async () => {
    const { log, decisions, topic } = setUp();
    await topic.append(proposal);
    log.length = 0;
    await expect(decisions.list(viewer)).rejects.toMatchObject({ status: 503, code: 'unavailable' });
  });
});
