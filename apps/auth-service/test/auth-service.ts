import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, KitConfig, loadConfig, ServiceProcess } from '@tranche/service-kit';
import { AuthConfig } from '../src/auth.config.js';
import { authService } from '../src/auth.module.js';
import type { TokenAnswer } from '../src/api/tokens.controller.js';

export const CLIENT_SECRET = 'canary-client-secret-5d1f';
export const GATEWAY_KEY = 'canary-gateway-service-key-90ab';
export const OTHER_KEY = 'canary-other-service-key-77cd-x';
export const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');

export const ACCOUNTS = {
  accounts: [
    {
      account: 'shop',
      grant: 'client_credentials',
      clientId: 'shop-client',
      clientSecret: CLIENT_SECRET,
      scope: '/realms/shop',
    },
    {
      account: 'second',
      grant: 'client_credentials',
      clientId: 'second-client',
      clientSecret: CLIENT_SECRET,
      scope: '/realms/second',
    },
  ],
  callers: [
    { caller: 'payment-gateway', key: GATEWAY_KEY, accounts: ['shop', 'second'] },
    { caller: 'other', key: OTHER_KEY, accounts: ['second'] },
  ],
};

const folder = mkdtempSync(join(tmpdir(), 'accounts-'));
afterAll(() => rmSync(folder, { recursive: true }));

export function accountsFile(content: object = ACCOUNTS): string {
  const file = join(folder, `${randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

/** Starts the whole service in this process on free ports, with its log in memory. */
export async function startAuthService(env: Record<string, string>, change?: (config: AuthConfig) => void) {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({
    name: 'auth-service',
    level: 'debug',
    destination: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const config = loadConfig(AuthConfig, {
    PORT: '0',
    MANAGEMENT_PORT: '0',
    ACCOUNTS_FILE: accountsFile(),
    TOKEN_ENCRYPTION_KEY: ENCRYPTION_KEY,
    AUTH_TIMEOUT_MS: '60000',
    REDIS_URL: 'redis://127.0.0.1:1',
    ...env,
  });
  change?.(config);
  const service = new ServiceProcess(
    authService,
    config,
    loadConfig(KitConfig, { BIND_ADDRESS: '127.0.0.1', ...env }),
    log,
  );
  await service.start();
  const url = `http://127.0.0.1:${service.port}`;

  async function post(body: unknown, key: string | undefined = GATEWAY_KEY) {
    const headers = { 'content-type': 'application/json', ...(key === '' ? {} : { authorization: `Bearer ${key}` }) };
    const response = await fetch(`${url}/v1/tokens`, { method: 'POST', headers, body: JSON.stringify(body) });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as TokenAnswer & Record<string, unknown>,
    };
  }

  return {
    url,
    managementUrl: `http://127.0.0.1:${service.managementPort}`,
    lines,
    post,
    /** Returns a token or fails the test. */
    token: async (account = 'shop', refused?: string) => {
      const answer = await post({ account, refused });
      if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    stop: () => service.stop('test'),
  };
}

export type AuthServiceUnderTest = Awaited<ReturnType<typeof startAuthService>>;
