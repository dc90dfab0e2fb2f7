import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND_TOPICS, encodeCloudEvent, orderKey, TOPICS, topicName } from '@tranche/contracts';
import { BatchingProducer } from '@tranche/kafka';
import { decodeRecord, type JournalRecord } from '@tranche/order-journal';
import { silentLog } from '@tranche/runtime';
import { aCommand, aPartnerAAuthorization, infrastructure, ownPrefix } from '@tranche/testing';
import { Infrastructure } from '../faults/infrastructure.js';
import { LoadEvents } from '../faults/load-events.js';
import { Stage } from '../faults/stage.js';
import { MERCHANT } from '../faults/surroundings.js';
import { wholeTopic } from '../faults/traces-topic.js';
import { Random } from '../simulation/random.js';

export const ORDER_PREFIX = 'ledger-';
export const PATIENCE_MS = 60_000;

/** Gateways on the run's Kafka and Redis that can be killed at a point of the first call. */
export interface LedgerStage {
  readonly folder: string;
  readonly stage: Stage;
  readonly events: LoadEvents;
  /** Starts a gateway that dies at this point during the order's first call. */
  killedAt(point: 'granted' | 'request-partly-written', orderId: string, ledgers: string): Promise<void>;
  recordsOf(orderId: string): Promise<JournalRecord[]>;
  typesOf(orderId: string): string[];
  close(): Promise<void>;
}

export async function openLedgerStage(): Promise<LedgerStage> {
  const topicPrefix = ownPrefix();
  const folder = mkdtempSync(join(tmpdir(), 'tranche-sent-'));
  const { brokers, redisUrl } = infrastructure();
  const stage = await Stage.open({
    infrastructure: new Infrastructure({ folder, kafka: { brokers }, redis: { url: redisUrl } }),
    ...{ topicPrefix, orderPrefix: ORDER_PREFIX, random: new Random(1) },
  });
  const events = new LoadEvents(stage.client, topicPrefix, ORDER_PREFIX);
  events.start();
  const producer = new BatchingProducer({ client: stage.client, log: silentLog });
  return {
    ...{ folder, stage, events },
    async killedAt(point, orderId, ledgers) {
      const env = { SENT_LEDGER_DIR: ledgers };
      const gateway = await stage.readyGateway({ env, failpoints: [{ point, hit: 1, do: 'kill' }] });
      const data = aPartnerAAuthorization({ merchant: MERCHANT.name, orderId });
      await producer.send({
        topic: topicName(topicPrefix, COMMAND_TOPICS['partner-a']),
        key: orderKey(MERCHANT.name, orderId),
        ...encodeCloudEvent(aCommand('payment.authorize', data, { id: orderId, time: new Date().toISOString() })),
      });
      expect(await stage.dies(gateway, point, PATIENCE_MS)).toBe(true);
    },
    async recordsOf(orderId) {
      const all = await wholeTopic(stage.client, topicPrefix, TOPICS.journal.name);
      return all.map(({ value }) => decodeRecord(value)).filter((record) => record.orderId === orderId);
    },
    typesOf: (orderId) => events.of(orderId).map(({ type }) => type),
    async close() {
      await stage.close();
      await Promise.all([events.close(), producer.close()]);
      rmSync(folder, { recursive: true });
    },
  };
}
