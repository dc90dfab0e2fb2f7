import 'reflect-metadata';
import { BatchingProducer, createKafkaClient, waitForKafka } from '@tranche/kafka';
import { reportWarnings, type Log } from '@tranche/runtime';
import { ConfigError, loadConfig, Metrics } from '@tranche/service-kit';
import { IngestConfig } from '../ingest.config.js';
import { NotificationProducer } from '../notification.producer.js';
import { jsonLineOf, listOf, quarantineOptions, tableOf, USAGE, type QuarantineOptions } from './quarantine-command.js';
import { QuarantineConsumer } from './quarantine.consumer.js';
import type { Quarantined } from '../quarantine-record.js';
import { chosen, Reverification, settingsOfReverification, type Reverified } from './reverification.js';

const KAFKA_TIMEOUT_MS = 30_000;
const PROGRESS_MS = 2_000;

const print = (line: string) => void process.stderr.write(`${line}\n`);
const quiet = () => undefined;
/** False while we wait for Kafka: warnings are then hidden, and a failure prints one line. */
let isConnected = true;
const printConnected = (_: unknown, message: string) => void (isConnected && print(message));
const log: Log = { debug: quiet, info: quiet, warn: printConnected, error: printConnected };

reportWarnings(({ message }) => print(message));
process.exitCode = await main();

async function main(): Promise<number> {
  let options: QuarantineOptions;
  try {
    options = quarantineOptions(process.argv.slice(2), Date.now());
  } catch (error) {
    print(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  try {
    return await run(options, loadConfig(IngestConfig));
  } catch (error) {
    if (error instanceof ConfigError) {
      for (const { name, message } of error.faults) print(`${name}: ${message}`);
      return 78;
    }
    print(`the quarantine was not read to its end: ${(error as Error).message}`);
    return 1;
  }
}

async function run(options: QuarantineOptions, config: IngestConfig): Promise<number> {
  const merchant = options.merchant === undefined ? undefined : config.merchants.byName(options.merchant);
  if (options.merchant !== undefined && merchant === undefined) {
    print(
      `there is no merchant ${options.merchant} in MERCHANTS_FILE: ${config.merchants.all.map((one) => one.merchant).join(', ')}`,
    );
    return 2;
  }
  const client = createKafkaClient({ ...config.kafka, clientId: 'notification-ingest.quarantine' }, log);
  isConnected = false;
  try {
    await waitForKafka(client, { log, signal: AbortSignal.timeout(KAFKA_TIMEOUT_MS) });
  } catch (error) {
    throw new Error(`Kafka does not answer at ${config.kafka.brokers.join(', ')}`, { cause: error });
  }
  isConnected = true;
  const consumer = new QuarantineConsumer(client, config, log);
  const records = withProgress(chosen(consumer.read(), options, merchant?.identifier));
  if (options.command === 'list') await list(records, options);
  else await reverify(records, options, config, new BatchingProducer({ client, log }));
  if (consumer.unreadable > 0) print(`${consumer.unreadable} records of the topic are no quarantined notifications`);
  return 0;
}

async function list(records: AsyncIterable<Quarantined>, { json }: QuarantineOptions): Promise<void> {
  const listed = await listOf(records);
  if (json) for (const one of listed) console.log(jsonLineOf(one));
  else console.log(listed.length === 0 ? 'nothing is in quarantine' : tableOf(listed));
}

async function reverify(
  records: AsyncIterable<Quarantined>,
  { json, dryRun }: QuarantineOptions,
  config: IngestConfig,
  batches: BatchingProducer,
): Promise<void> {
  try {
    const producer = dryRun
      ? undefined
      : new NotificationProducer(batches, settingsOfReverification(config), new Metrics('quarantine'));
    const result = await new Reverification(config, producer).run(records);
    console.log(json ? jsonLineOf(result) : summaryOf(result, dryRun));
  } finally {
    await batches.close();
  }
}

function summaryOf(
  { read, verified, published, stillRefused, altered, withoutOrder }: Reverified,
  dryRun: boolean,
): string {
  return [
    `${read} records read, ${verified} verified, ${stillRefused} still refused, ${altered} altered (card data was taken out)`,
    dryRun
      ? 'nothing was published (--dry-run)'
      : `${published} notifications published; the entries that verified are closed`,
    ...(withoutOrder > 0 ? [`${withoutOrder} name no order: see them with list`] : []),
  ].join('\n');
}

async function* withProgress(records: AsyncIterable<Quarantined>): AsyncGenerator<Quarantined> {
  let read = 0;
  let reportedAtMs = performance.now();
  for await (const record of records) {
    read++;
    if (performance.now() - reportedAtMs >= PROGRESS_MS) {
      reportedAtMs = performance.now();
      print(`${read} records …`);
    }
    yield record;
  }
}
