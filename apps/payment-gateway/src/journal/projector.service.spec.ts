import { TailBuffer, type KafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { Health, Metrics, type ServiceLogger } from '@tranche/service-kit';
import type { GatewayConfig } from '../gateway.config.js';
import type { EventsProducer } from './events.producer.js';
import type { JournalReaderConsumer } from './journal-reader.consumer.js';
import type { OrderIndexStore } from './order-index.store.js';
import { ProjectorService } from './projector.service.js';
import type { OutcomeReport } from './outcome-report.service.js';
import { RebuildReport } from './rebuild-report.service.js';
import type { Recovery } from './recovery.service.js';

const clock = { nowMs: () => 0, monotonicMs: () => 0, sleep: () => Promise.resolve() };
const log = silentLog as ServiceLogger;

it('shows no records to go of a rebuild that another process has taken over', async () => {
  const metrics = new Metrics('spec');
  const report = new RebuildReport(metrics, clock, log);
  const service = new ProjectorService(
    ...([
      {} as GatewayConfig,
      {} as KafkaClient,
      {} as JournalReaderConsumer,
      {} as OrderIndexStore,
      {} as EventsProducer,
    ] as const),
    ...([clock, report, {} as OutcomeReport, log, new Health(), new Metrics('spec'), new TailBuffer()] as const),
    ...([{} as Recovery] as const),
  );
  const remaining = async () => {
    const text = await metrics.registry.getSingleMetricAsString('tranche_index_rebuild_remaining_records');
    const found = [...text.matchAll(/partition="(\d+)".*\} (\d+)/g)];
    return Object.fromEntries(found.map(([, partition, records]) => [partition, records] as const)) as Record<
      string,
      string
    >;
  };
  const ends = [new AbortController(), new AbortController()];
  for (const [partition, { signal }] of ends.entries()) service.assign(partition, signal);
  report.step({ partition: 0, records: 10, remaining: 90 });
  report.step({ partition: 1, records: 10, remaining: 50 });
  expect(await remaining()).toEqual({ 0: '90', 1: '50' });
  ends[0]!.abort();
  // A report of the previous owner that arrives late.
  report.step({ partition: 0, records: 10, remaining: 80 });
  expect(await remaining()).toEqual({ 0: '0', 1: '50' });
  service.assign(0, new AbortController().signal);
  report.step({ partition: 0, records: 10, remaining: 70 });
  expect(await remaining()).toEqual({ 0: '70', 1: '50' });
});
