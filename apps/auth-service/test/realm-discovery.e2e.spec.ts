import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot, startSimulator, type RunningApp } from '@tranche/testing';
import {
  ACCOUNTS,
  accountsFile,
  CLIENT_SECRET,
  ENCRYPTION_KEY,
  GATEWAY_KEY,
  OTHER_KEY,
  startAuthService,
  type AuthServiceUnderTest,
} from './auth-service.js';
import { answerJson, startTokenApi } from './token-api.js';

const [shop, second] = ACCOUNTS.accounts;
const { scope: _, ...withoutScope } = shop!;
const ours = { ...ACCOUNTS, accounts: [{ ...withoutScope, scopeFrom: 'second' }, second] };

describe('an account whose realm is discovered', () => {
  let simulator: RunningApp;
  let service: AuthServiceUnderTest | undefined;
  beforeAll(async () => {
    // On the platform both accounts are in one realm; only auth-service does not know that of the first.
    const theirs = { accounts: [{ ...shop, scope: '/realms/second' }, second] };
    simulator = await startSimulator({ ACCOUNTS_FILE: accountsFile(theirs) });
  });
  afterAll(() => simulator.stop());
  afterEach(async () => {
    await service?.stop();
    const log = JSON.stringify(service?.lines ?? []);
    service = undefined;
    for (const secret of [CLIENT_SECRET, GATEWAY_KEY, OTHER_KEY]) expect(log).not.toContain(secret);
  });
  const callsOf = (operation: string) =>
    service?.lines.filter((line) => line.operation === operation && line.outcome !== undefined) ?? [];

  it('gets a token of the realm that the named account sees, which is asked for once [Authentication.3]', async () => {
    service = await startAuthService({ AUTH_URL: simulator.url, ACCOUNTS_FILE: accountsFile(ours) });
    const { accessToken, fingerprint } = await service.token('shop');
    expect(JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString())).toMatchObject({
      realm: '/realms/second',
    });
    await service.token('shop', fingerprint);
    expect(callsOf('realm')).toHaveLength(1);
    expect(callsOf('token')).toHaveLength(3);
  });

  it('is discovered with another token when the first one was withdrawn', async () => {
    service = await startAuthService({ AUTH_URL: simulator.url, ACCOUNTS_FILE: accountsFile(ours) });
    await service.token('second');
    const revoked = await fetch(`${simulator.url}/simulator/access-tokens?account=second`, { method: 'DELETE' });
    expect(revoked.status).toBe(200);
    expect((await service.post({ account: 'shop' })).status).toBe(200);
    expect(callsOf('realm').map(({ outcome }) => outcome)).toEqual(['refused', 'granted']);
  });

  it.each([
    [
      'an answer of another shape',
      { realms: ['/a'] },
      'GET /iam/realms/my gave no realm path: its answer has no text `path`.',
    ],
    ['no JSON', '<html>', 'GET /iam/realms/my gave no realm path: its answer is not a JSON object.'],
  ])('says clearly that there is none: %s', async (_name, body, detail) => {
    const api = await startTokenApi();
    const giveToken = api.answer;
    api.answer = (response, request) =>
      request.path === '/iam/realms/my' ? answerJson(response, 200, body) : giveToken(response, request);
    service = await startAuthService({ AUTH_URL: api.url, ACCOUNTS_FILE: accountsFile(ours) });
    expect(await service.post({ account: 'shop' })).toMatchObject({
      status: 502,
      body: { code: 'realm_unknown', detail },
    });
    expect(await service.post({ account: 'second' })).toMatchObject({ status: 200 });
    await api.close();
  });

  interface Checked {
    code: number;
    stdout: string;
    stderr: string;
  }

  function check(file: string, ...args: string[]): Promise<Checked> {
    const env = {
      PATH: process.env.PATH,
      AUTH_URL: simulator.url,
      ACCOUNTS_FILE: file,
      TOKEN_ENCRYPTION_KEY: ENCRYPTION_KEY,
      REDIS_URL: 'redis://127.0.0.1:1',
    };
    const main = join(repositoryRoot(), 'apps/auth-service/dist/check/main.js');
    return new Promise((resolve) => {
      execFile(process.execPath, [main, ...args], { env }, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
      );
    });
  }

  it('is found good, or not with the reason, by the check of all accounts [TokenApi.identities.body]', async () => {
    expect(await check(accountsFile(ours))).toEqual({ code: 0, stdout: 'shop: good\nsecond: good\n', stderr: '' });
    const wrong = { ...ours, accounts: [{ ...ours.accounts[0], clientSecret: 'canary-wrong-secret' }, second] };
    const { code, stdout } = await check(accountsFile(wrong), '--json');
    expect(code).toBe(1);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      {
        account: 'shop',
        ok: false,
        reason: expect.stringMatching(/^The token API refused the account \(HTTP 401, invalid_client\)\.$/),
      },
      { account: 'second', ok: true },
    ]);
    expect(stdout).not.toContain('canary');
    const broken = await check(accountsFile({ accounts: [], callers: [] }));
    expect([broken.code, broken.stdout]).toEqual([78, '']);
    expect(broken.stderr).toContain('ACCOUNTS_FILE: ');
  });
});
