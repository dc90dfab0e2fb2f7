import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fakeOperations, problem } from '../../test/fake-operations.js';
import { aTerminal } from '../../test/run-tranche.js';

let operations: Awaited<ReturnType<typeof fakeOperations>>;
let terminal: ReturnType<typeof aTerminal>;
let file: string;
const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!;
const typed = (text: string) => Object.defineProperty(process, 'stdin', { ...stdin, get: () => Readable.from([text]) });
beforeAll(async () => (operations = await fakeOperations()));
beforeEach(() => {
  terminal = aTerminal({});
  file = join(terminal.home, 'config/tranche/profiles.json');
  operations.says({ 'GET /v1/me': { person: 'alice', role: 'approver', mayDecide: true } });
});
afterEach(() => {
  Object.defineProperty(process, 'stdin', stdin);
  terminal.close();
});
afterAll(() => operations.close());

const login = (...more: string[]) => {
  typed('token-of-alice\n');
  return terminal.run(['login', '--url', operations.url, ...more]);
};

it('keeps address and token where only their owner reads them', async () => {
  expect(await login()).toMatchObject({ code: 0, err: expect.stringContaining('alice, approver of all merchants') });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { out } = await terminal.run(['whoami']);
  expect(out).toMatch(/^token: +of profile default$/m);
  expect(operations.requests.at(-1)).toMatchObject({ url: '/v1/me', authorization: 'Bearer token-of-alice' });
});

it('keeps nothing of a token that is refused', async () => {
  operations.says({ 'GET /v1/me': [401, problem(401, 'unauthorized')] });
  expect(await login()).toMatchObject({ code: 4 });
  expect(existsSync(file)).toBe(false);
});

it('is not read where others may read it', async () => {
  await login();
  chmodSync(file, 0o644);
  expect(await terminal.run(['whoami'])).toMatchObject({ code: 78, err: expect.stringContaining(`chmod 600 ${file}`) });
});

it('TRANCHE_TOKEN and OPERATIONS_URL go before the profile', async () => {
  await login('--url', 'http://127.0.0.1:1').catch(() => undefined);
  await login();
  await terminal.run(['whoami'], { TRANCHE_TOKEN: 'token-of-bob', OPERATIONS_URL: operations.url });
  expect(operations.requests.at(-1)).toMatchObject({ authorization: 'Bearer token-of-bob' });
});

it('several profiles are listed, changed and forgotten', async () => {
  await login('--profile', 'test');
  await login('--profile', 'prod', '--production');
  expect((await terminal.run(['profile', 'list'])).out).toMatch(/^prod .* yes +yes$/m);
  expect(await terminal.run(['profile', 'use', 'test'])).toMatchObject({ code: 0 });
  expect((await terminal.run(['whoami'])).out).toMatch(/^profile: +test$/m);
  expect((await terminal.run(['whoami'], { TRANCHE_PROFILE: 'prod' })).out).toMatch(/^profile: +prod, production$/m);
  expect(await terminal.run(['profile', 'remove', 'prod'])).toMatchObject({ code: 0 });
  expect(readFileSync(file, 'utf8')).not.toContain('"prod"');
  expect(await terminal.run(['profile', 'use', 'prod'])).toMatchObject({ code: 2 });
  expect(await terminal.run(['whoami'], { TRANCHE_PROFILE: 'prod' })).toMatchObject({ code: 78 });
});

it('a production profile sends its token to no other machine unencrypted', async () => {
  await login('--profile', 'prod', '--production');
  const { code, err } = await terminal.run(['whoami'], { OPERATIONS_URL: 'http://operations.example' });
  expect(code).toBe(78);
  expect(err).toContain('use https');
});

it('doctor says of each thing what to do', async () => {
  const { code, out } = await terminal.run(['doctor'], { OPERATIONS_URL: operations.url });
  expect(code).toBe(1);
  expect(out).toMatch(/^wrong +token +none: `tranche login`/m);
  const signedIn = await terminal.run(['doctor'], { OPERATIONS_URL: operations.url, TRANCHE_TOKEN: 'token-of-alice' });
  expect(signedIn).toMatchObject({ code: 0, out: expect.stringMatching(/^good +sign-in +alice, approver/m) });
  const away = await terminal.run(['doctor'], { OPERATIONS_URL: 'http://127.0.0.1:1', TRANCHE_TOKEN: 'x' });
  expect(away).toMatchObject({ code: 1, out: expect.stringMatching(/^wrong +operations .* next: start it/m) });
});
