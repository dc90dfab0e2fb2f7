import { randomUUID } from 'node:crypto';
import { orderKey, readMerchants } from '@tranche/contracts';
import type { ConsumedRecord } from '@tranche/kafka';
import type { KafkaRecordContext } from '@tranche/kafka/nest';
import {
  CommandExecutor,
  emptyOrder,
  fold,
  ResumeList,
  verdictOf,
  type ExecutorJournal,
  type ExecutorTiming,
  type JournalRecord,
  type OrderState,
} from '@tranche/order-journal';
import { Metrics } from '@tranche/service-kit';
import type { Clock } from '../src/clock.js';
import type { CommandForwarder } from '../src/command/command-forwarder.service.js';
import { CommandAnswers } from '../src/command/command-answers.service.js';
import { CommandReader } from '../src/command/command-reader.service.js';
import { CommandConsumer } from '../src/command/command.consumer.js';
import type { AcceptedCommand } from '../src/command/accepted-command.js';
import type { PaymentPlatform } from '../src/command/payment-platform.service.js';
import type { GatewayConfig } from '../src/gateway.config.js';
import type { EventsProducer } from '../src/journal/events.producer.js';
import type { Journal } from '../src/journal/journal.service.js';
import type { PartitionOwners } from '../src/journal/partition-owners.service.js';
import type { Recovery } from '../src/journal/recovery.service.js';
import type { BearerToken } from '../src/platform/bearer-token.client.js';
import type { PlatformForm } from '../src/platform/platform-caller.service.js';

interface ConsumerParts {
  merchants: object[];
  environmentId?: string;
  kafkaTopicPrefix?: string;
  orders?: OrderState[];
  resumes?: ResumeList;
  /** Without one, each command is on its own partition. */
  forwarder?: CommandForwarder;
  /** Without them, every partition is served. */
  owners?: PartitionOwners;
  nowMs: number;
}

const forwardsNothing = { forward: () => Promise.resolve('own') } as unknown as CommandForwarder;
const serving = { isServing: () => true } as unknown as PartitionOwners;

/** The gateway's consumer with a journal in memory. It records executions, published events and appended records. */
export function commandConsumer(parts: ConsumerParts) {
  const {
    merchants,
    orders = [],
    resumes = new ResumeList(),
    forwarder = forwardsNothing,
    owners = serving,
    nowMs,
    ...more
  } = parts;
  const read = readMerchants(merchants, () => '');
  if ('faults' in read) throw new Error(JSON.stringify(read.faults));
  const config = { merchants: read.merchants, kafkaTopicPrefix: '', clockOffsetMs: 0, ...more };
  const states = new Map(orders.map((order) => [orderKey(order.merchant, order.orderId), order]));
  const executed: string[] = [];
  const published: unknown[] = [];
  const appended: JournalRecord[] = [];
  const stateOf = (merchant: string, orderId: string) =>
    states.get(orderKey(merchant, orderId)) ?? emptyOrder(merchant, orderId);
  const append = (record: JournalRecord) => {
    appended.push(record);
    const order = stateOf(record.merchant, record.orderId);
    const next = fold(order, record, BigInt(order.lastOffset) + 1n).order;
    states.set(orderKey(record.merchant, record.orderId), next);
    return Promise.resolve(next);
  };
  const view = {
    read: (merchant: string, orderId: string) => Promise.resolve(stateOf(merchant, orderId)),
    readToEnd: (merchant: string, orderId: string) => Promise.resolve(stateOf(merchant, orderId)),
    append,
    appendAndRead: append,
    appendIntent: (record: JournalRecord & { token: string }) =>
      append(record).then((after) => ({ after, verdict: verdictOf(after, record.token) ?? 'lost' })),
  };
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs } as unknown as Clock;
  const repeats = { republish: async (_copy: unknown, _lease: unknown, again: () => unknown) => void (await again()) };
  const executor = new CommandExecutor<AcceptedCommand, PlatformForm, BearerToken>(
    view as unknown as ExecutorJournal,
    { newToken: () => randomUUID() } as unknown as PaymentPlatform,
    { clock, repeats } as unknown as ExecutorTiming,
  );
  executor.execute = ({ commandId }) => Promise.resolve(executed.push(commandId)).then(() => 'done');
  const metrics = new Metrics('spec');
  const answers = new CommandAnswers(
    { view, read: view.read } as unknown as Journal,
    { publish: (events: unknown[]) => Promise.resolve(void published.push(...events)) } as unknown as EventsProducer,
    executor,
    clock,
  );
  const consumer = new CommandConsumer(
    forwarder,
    owners,
    new CommandReader(config as unknown as GatewayConfig, metrics),
    executor,
    answers,
    { resumes } as unknown as Recovery,
  );
  const context = {
    signal: new AbortController().signal,
    withoutSlot: <T>(wait: () => Promise<T>) => wait(),
  } as unknown as KafkaRecordContext;
  return {
    ...{ executed, published, appended, metrics },
    take: (record: ConsumedRecord) => consumer.take(record, context),
  };
}
