import { connect } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Module } from '@nestjs/common';
import { TOPICS, type PaymentNotification } from '@tranche/contracts';
import { BatchingProducer, type ProducerRecord } from '@tranche/kafka';
import { createLogger, KitConfig, loadConfig, ServiceProcess } from '@tranche/service-kit';
import { waitFor } from '@tranche/testing';
import { IngestConfig } from '../src/ingest.config.js';
import { notificationIngest, WEBHOOK } from '../src/ingest.module.js';
import { Reverification } from '../src/quarantine/reverification.js';
import { quarantinedOf, type Quarantined } from '../src/quarantine-record.js';

/** The answer to one request, and the records that it left. */
export interface Outcome {
  status: number;
  body: string;
  published: PaymentNotification[];
  quarantined: { read: Quarantined | undefined; data: Record<string, unknown> }[];
}

/** The webhook with its real HTTP server, limits and quarantine, in this process, before a Kafka in memory. */
export async function webhookInProcess(merchants: object[]) {
  const records: { topic: string; key: string; value: Buffer }[] = [];
  const kafka = {
    send: ({ topic, key, value }: ProducerRecord) =>
      Promise.resolve(void records.push({ topic, key: String(key), value: value as Buffer })),
  };

  @Module({ ...WEBHOOK, providers: [...WEBHOOK.providers, { provide: BatchingProducer, useValue: kafka }] })
  class WebhookModule {}

  const folder = mkdtempSync(join(tmpdir(), 'tranche-webhook-'));
  const file = join(folder, 'merchants.json');
  writeFileSync(file, JSON.stringify(merchants));
  const limits = { FAILURES_PER_MINUTE: '1000000', QUARANTINE_KB_PER_HOUR: '1000000' };
  const config = loadConfig(IngestConfig, { MERCHANTS_FILE: file, PORT: '0', MANAGEMENT_PORT: '0', ...limits });
  rmSync(folder, { recursive: true });
  const log = createLogger({ name: 'webhook', destination: { write: () => undefined } });
  const kit = loadConfig(KitConfig, { BIND_ADDRESS: '127.0.0.1' });
  const service = new ServiceProcess({ ...notificationIngest, module: () => WebhookModule }, config, kit, log);
  await service.start();

  /** Sends the bytes as they are, and waits for the answer and for what becomes of the request. */
  async function send(...pieces: Buffer[]): Promise<Outcome> {
    records.length = 0;
    const answer = await answerTo(service.port ?? 0, pieces);
    await waitFor(() => records.length > 0, { what: 'a record', timeoutMs: 1_000 }).catch(() => undefined);
    const of = (topic: string) => records.filter((record) => record.topic === topic);
    return {
      status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1]),
      body: answer.slice(answer.indexOf('\r\n\r\n') + 4),
      published: of(TOPICS.notifications.name).map(({ value }) => JSON.parse(value.toString()) as PaymentNotification),
      quarantined: of(TOPICS.notificationsQuarantine.name).map(({ key, value }) => ({
        read: quarantinedOf({ key, value, partition: 0, offset: 0n }),
        data: JSON.parse(value.toString()) as Record<string, unknown>,
      })),
    };
  }

  /** Returns what `reverify` publishes of a record. */
  async function reverify(record: Quarantined): Promise<PaymentNotification | undefined> {
    const published: PaymentNotification[] = [];
    const publish = (_id: string, notification: PaymentNotification) =>
      Promise.resolve(void published.push(notification));
    await new Reverification(config, { publish, close: () => Promise.resolve() }).run(Readable.from([record]));
    return published[0];
  }
  return { send, reverify, stop: () => service.stop('test') };
}

/** The first answer to `Expect: 100-continue`. */
const CONTINUE = /^HTTP\/1\.1 100 Continue\r\n\r\n/;

function answerTo(port: number, pieces: readonly Buffer[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.setNoDelay(true).on('data', (part) => (answer += part.toString('latin1')));
    socket.on('error', reject).on('close', () => resolve(answer.replace(CONTINUE, '')));
    for (const piece of pieces) socket.write(piece);
  });
}
