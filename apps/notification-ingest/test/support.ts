import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOPICS, type PaymentNotification, type TopicDefinition } from '@tranche/contracts';
import { platformHash } from '@tranche/platform';
import {
  INGEST_KEYS,
  INGEST_MERCHANTS,
  infrastructure,
  ownPrefix,
  stage,
  startApp,
  type RunningApp,
  type StartOptions,
} from '@tranche/testing';
import { createKafkaClient, LogFollower, type ConsumedRecord } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';

jest.setTimeout(180_000);

export const keys = INGEST_KEYS;
export const merchants: MerchantEntry[] = INGEST_MERCHANTS.slice(0, 2);

export type MerchantEntry = Record<string, unknown>;

export interface Ingest {
  app: RunningApp;
  prefix: string;
  /** Path of the merchants file. The running app has already read it. */
  merchantsFile: string;
  /** Throws until the app has printed its address. */
  readonly webhook: string;
  /** Sum of all samples whose line begins with `name`, for example `name{label="x"`. */
  metric(name: string): Promise<number>;
  read(topic: TopicDefinition): Promise<ConsumedRecord[]>;
  close(): Promise<void>;
}

/**
 * Joins the webhook that all specs of a run share. Only for specs that need no setting of their own, read only their own notifications
 * and compare no counts. Their orders are named after the spec.
 */
export async function joinIngestStage(): Promise<Ingest> {
  const { prefix, env, apps } = await stage('ingest');
  const { 'notification-ingest': app } = apps;
  if (!app) throw new Error('the stage has no webhook');
  return ingestAt(app, prefix, env.MERCHANTS_FILE ?? '', () => Promise.resolve());
}

export async function startIngest(
  brokers: string = infrastructure().brokers,
  env: Record<string, string> = {},
  options: StartOptions & { merchants?: MerchantEntry[] } = {},
): Promise<Ingest> {
  const prefix = env.KAFKA_TOPIC_PREFIX ?? ownPrefix();
  const folder = mkdtempSync(join(tmpdir(), 'tranche-ingest-'));
  const merchantsFile = join(folder, 'merchants.json');
  writeFileSync(merchantsFile, JSON.stringify(options.merchants ?? merchants));
  const app = await startApp(
    'notification-ingest',
    // 30 s are longer than a stall of the machine. A notification that times out would be missing from the counts of the tests.
    {
      KAFKA_BROKERS: brokers,
      KAFKA_TOPIC_PREFIX: prefix,
      MERCHANTS_FILE: merchantsFile,
      PUBLISH_TIMEOUT_MS: '30000',
      ...env,
    },
    options,
  );
  return ingestAt(app, prefix, merchantsFile, async () => {
    await app.stop();
    rmSync(folder, { recursive: true });
  });
}

function ingestAt(app: RunningApp, prefix: string, merchantsFile: string, stop: () => Promise<void>): Ingest {
  const followers: LogFollower[] = [];
  const client = createKafkaClient(
    { brokers: infrastructure().brokers.split(','), clientId: 'ingest-spec' },
    silentLog,
  );
  return {
    app,
    prefix,
    merchantsFile,
    metric: async (name) => {
      const text = await (await fetch(`${app.managementUrl}/metrics`)).text();
      const lines = text.split('\n').filter((line) => line.startsWith(name) && !line.startsWith('#'));
      return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    },
    get webhook() {
      return `${app.url}/notifications`;
    },
    read: async (topic) => {
      const records: ConsumedRecord[] = [];
      const follower = new LogFollower({ client, topic: topic.name, topicPrefix: prefix, log: silentLog });
      followers.push(follower);
      await follower.start({ from: 'beginning', onRecords: (_partition, more) => void records.push(...more) });
      return records;
    },
    close: async () => {
      for (const follower of followers) await follower.stop();
      await stop();
    },
  };
}

export type Fields = Record<string, string>;

export function capture(overrides: Fields = {}): Fields {
  return {
    OPERATIONTYPE: 'capture',
    IDENTIFIER: 'Shop FR',
    ORDERID: 'order-1',
    TRANSACTIONID: 'T1',
    AMOUNT: '30000',
    CURRENCY: 'EUR',
    EXECCODE: '0000',
    MESSAGE: 'Opération réussie, 100 % & plus',
    LANGUAGE: 'fr',
    CLIENTIDENT: 'customer-1',
    CLIENTEMAIL: 'jeanne@example.com',
    DESCRIPTOR: 'SHOP',
    EXTRADATA: '',
    VERSION: '3.0',
    ...overrides,
  };
}

export function signed(fields: Fields, key: string = keys.notification): Fields {
  return { ...fields, HASH: platformHash(key, Object.entries(fields)) };
}

/** A platform without UTF-8 signs and sends one byte per character, in HASH and in the form. */
export function formInLatin1(fields: Fields, key: string = keys.notification): string {
  const pairs = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  const clear = key + pairs.map(([name, value]) => `${name}=${value}${key}`).join('');
  const HASH = createHash('sha256').update(Buffer.from(clear, 'latin1')).digest('hex');
  const escaped = (text: string) =>
    text.replace(/[^A-Za-z0-9]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
  return [...pairs, ['HASH', HASH]].map(([name, value]) => `${escaped(name!)}=${escaped(value!)}`).join('&');
}

export const form = (fields: Fields) => new URLSearchParams(fields).toString();

export function multipart(fields: Fields): FormData {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  return body;
}

/** Announced by Content-Length, or in chunks. The answer comes before the body's end, and a client that still sends may lose it. */
export function tooLarge(webhook: string, bytes: number, how: 'announced' | 'chunked'): Promise<Response> {
  return new Promise((resolve, reject) => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const headers =
      how === 'chunked' ? { ...type, 'transfer-encoding': 'chunked' } : { ...type, 'content-length': bytes };
    const outgoing = request(webhook, { method: 'POST', headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (more: string) => (text += more));
      answer.on('end', () => {
        const received = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
        resolve(new Response(text, { status: answer.statusCode ?? 0, headers: received }));
        outgoing.destroy();
      });
    });
    outgoing.on('error', reject);
    if (how === 'chunked') outgoing.write(`A=${'x'.repeat(bytes - 2)}`);
    else outgoing.flushHeaders();
  });
}

export const notificationOf = (record: ConsumedRecord | undefined) =>
  JSON.parse(record?.value?.toString('utf8') ?? 'null') as PaymentNotification;

export { TOPICS };
