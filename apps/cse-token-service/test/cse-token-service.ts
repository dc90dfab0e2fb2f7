import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, KitConfig, loadConfig, ServiceProcess } from '@tranche/service-kit';
import { CseConfig } from '../src/cse.config.js';
import { cseTokenService } from '../src/cse.module.js';

export const API_KEY_ID = '11111111-2222-4333-8444-555555555555';
export const SECOND_ID = '66666666-7777-4888-8999-aaaaaaaaaaaa';
export const PRIVATE_ID = 'bbbbbbbb-cccc-4ddd-8eee-ffffffffffff';
export const ORIGIN = 'https://shop.example';

const folder = mkdtempSync(join(tmpdir(), 'merchants-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ending: Promise<void>[] = [];
/** Resolves when all stopped services have ended. */
export const allEnded = () => Promise.all(ending);
afterAll(allEnded);

export function merchantsFile(): string {
  const file = join(folder, 'merchants.json');
  const merchant = {
    merchant: 'shop',
    identifier: 'SHOP',
    accountKey: 'canary-account-key',
    apiKeys: [
      { id: API_KEY_ID, type: 'Public' },
      { id: SECOND_ID, key: 'canary-api-key' },
      { id: PRIVATE_ID, type: 'Private', key: 'canary-api-key' },
    ],
  };
  writeFileSync(
    file,
    JSON.stringify([merchant, { merchant: 'without', identifier: 'WITHOUT', accountKey: 'canary-account-key' }]),
  );
  return file;
}

/** Starts the whole service in this process on free ports, with its log in memory. */
export async function startCseTokenService({ BIND_ADDRESS = '127.0.0.1', ...env }: Record<string, string>) {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({
    name: 'cse-token-service',
    level: 'debug',
    destination: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const config = loadConfig(CseConfig, {
    PORT: '0',
    MANAGEMENT_PORT: '0',
    CSE_ORIGINS: `${ORIGIN},http://localhost:8080`,
    MERCHANTS_FILE: merchantsFile(),
    KAFKA_BROKERS: '127.0.0.1:1',
    CSE_TIMEOUT_MS: '60000',
    CSE_BACK_OFF_MS: '10',
    CSE_REFUSED_INTERVAL_MS: '100',
    ...env,
  });
  const service = new ServiceProcess(cseTokenService, config, loadConfig(KitConfig, { BIND_ADDRESS }), log);
  await service.start();
  const url = `http://127.0.0.1:${service.port}/v1/cse-keys`;

  async function post(
    body: string,
    headers: Record<string, string> = { origin: ORIGIN, 'content-type': 'application/json' },
  ) {
    const response = await fetch(url, { method: 'POST', headers, body });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: JSON.parse(text) as Record<string, unknown>,
    };
  }

  async function metric(line: string): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${service.managementPort}/metrics`)).text();
    const lines = text.split('\n').filter((each) => each.startsWith(line));
    return lines.reduce((sum, each) => sum + Number(each.slice(each.lastIndexOf(' '))), 0);
  }

  return {
    url,
    metric,
    managementUrl: `http://127.0.0.1:${service.managementPort}`,
    lines,
    post,
    ask: (apiKeyId: unknown = API_KEY_ID, refused?: string) => post(JSON.stringify({ apiKeyId, refused })),
    /** Begins the stop and does not wait for it, because the service waits for its absent Kafka. */
    stop: () => void ending.push(service.stop('test')),
  };
}

export type CseTokenServiceUnderTest = Awaited<ReturnType<typeof startCseTokenService>>;
