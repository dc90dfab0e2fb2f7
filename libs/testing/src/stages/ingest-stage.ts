import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApp } from '../apps.js';
import { infrastructure, ownPrefix } from '../infrastructure.js';
import { makeTopics } from './gateway-stage.js';
import type { StageDefinition } from '../stage-keeper.js';

export const INGEST_KEYS = {
  notification: 'key-of-notifications',
  previous: 'key-of-notifications-before',
  account: 'key-of-the-account',
};

/** A merchant with every kind of return page. */
export const INGEST_RETURNS = {
  merchant: 'shop-of-returns',
  identifier: 'Shop of returns',
  accountKey: INGEST_KEYS.account,
  redirectKey: 'key-of-redirects',
  previousKeys: { redirect: 'key-of-redirects-before' },
  pageUrl: 'https://shop.example/thanks?lang=fr',
  returnPages: [{ name: 'app', url: 'https://app.example/paid' }],
};

export const INGEST_MERCHANTS = [
  {
    merchant: 'shop-fr',
    identifier: 'Shop FR',
    accountKey: INGEST_KEYS.account,
    notificationKey: INGEST_KEYS.notification,
    previousKeys: { notification: INGEST_KEYS.previous },
  },
  { merchant: 'shop-es', identifier: 'Shop ES', accountKey: INGEST_KEYS.account, market: 'ES' },
  INGEST_RETURNS,
];

/** Only notification-ingest. All specs have one address, so its limits are high. */
export const startIngestStage: StageDefinition = async (logFile) => {
  const prefix = ownPrefix();
  const folder = mkdtempSync(join(tmpdir(), 'tranche-ingest-'));
  const env = {
    KAFKA_BROKERS: infrastructure().brokers,
    KAFKA_TOPIC_PREFIX: prefix,
    MERCHANTS_FILE: join(folder, 'merchants.json'),
    // Longer than a stall of the machine: a notification that exceeds it is not stored.
    PUBLISH_TIMEOUT_MS: '30000',
    FAILURES_PER_MINUTE: '1000000',
    QUARANTINE_KB_PER_HOUR: '1000000',
    QUARANTINE_TOTAL_KB_PER_HOUR: '1000000',
    MAX_CONNECTIONS_PER_ADDRESS: '1000',
  };
  writeFileSync(env.MERCHANTS_FILE, JSON.stringify(INGEST_MERCHANTS));
  await makeTopics(prefix);
  const ingest = await startApp('notification-ingest', env, { logFile: logFile('notification-ingest') });
  return {
    prefix,
    env,
    apps: { 'notification-ingest': ingest },
    stop: async () => void (await Promise.all([ingest.stop(), rm(folder, { recursive: true })])),
  };
};
