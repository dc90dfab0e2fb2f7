import { execFile } from 'node:child_process';
import { TEST_CARDS } from '../demo/test-cards.mjs';

/** Each run asks Java, Maven and Redis for their versions, which takes seconds: all of them are begun at once, and each shows several things. */
const RUNS = {
  asItIs: { args: ['--json'], env: {} },
  wrongFiles: {
    args: ['--json'],
    env: { MERCHANTS_FILE: 'package.json', ACCOUNTS_FILE: 'package.json', CHROMIUM_PATH: '/nowhere' },
  },
  withTokenApi: { args: ['--json'], env: { AUTH_URL: 'http://127.0.0.1:1' } },
  forPeople: { args: [], env: { ACCOUNTS_FILE: 'no-such-file.json' } },
};
const ran = {};

beforeAll(async () => {
  const running = Object.entries(RUNS).map(async ([name, { args, env }]) => (ran[name] = await doctor(args, env)));
  await Promise.all(running);
}, 120_000);

function doctor(args, env) {
  return new Promise((ended) => {
    const options = { env: { ...process.env, ...env }, encoding: 'utf8' };
    execFile(process.execPath, ['tools/tranche.mjs', 'doctor', ...args], options, (error, stdout) => {
      const { checks = [], ok } = args.includes('--json') ? JSON.parse(stdout) : {};
      const find = (name) => checks.find((check) => check.name === name);
      ended({ status: error?.code ?? 0, stdout, ok, names: checks.map(({ name }) => name), find });
    });
  });
}

it('finds what every check needs to say', () => {
  const { names, find } = ran.asItIs;
  expect(names).toEqual(
    expect.arrayContaining(['Node.js', 'Java 17 or newer', 'Maven', 'redis-server', 'Chromium', 'packages']),
  );
  expect(find('Node.js').fault).toBeUndefined();
  expect(find('merchants').fault).toBeUndefined();
  expect(find('accounts').fault).toBeUndefined();
});

it('names a merchants file that is wrong, with its fix, and exits 1', () => {
  const { status, ok, find } = ran.wrongFiles;
  expect([status, ok]).toEqual([1, false]);
  expect(find('merchants').fault).toMatch(/correct package\.json or set MERCHANTS_FILE$/);
});

it('names an accounts file that is wrong', () => {
  expect(ran.wrongFiles.find('accounts').fault).toBe(
    'package.json has no list accounts, callers; see apps/auth-service/README.md',
  );
  expect(ran.forPeople.stdout).toMatch(/^MISSING {2}accounts: no-such-file\.json: /m);
});

it('asks the token API about each account when AUTH_URL says where it is', () => {
  expect(ran.asItIs.names).not.toContain('accounts at the token API');
  const { find, status } = ran.withTokenApi;
  expect(find('accounts at the token API').fault).toMatch(
    /^tranche-demo: .+; correct config\/accounts\.demo\.json or AUTH_URL$/,
  );
  expect(status).toBe(1);
});

it('notes that the browser tests have no browser, which nothing else needs', () => {
  const { fault, required } = ran.wrongFiles.find('Chromium');
  expect(fault).toMatch(/^not found, and the browser tests need it; /);
  expect(required).toBe(false);
});

it('gives people two cards to try', () => {
  expect(ran.forPeople.stdout).toContain(`${TEST_CARDS.accepted.cardCode}  is accepted`);
  expect(ran.forPeople.stdout).toContain(`${TEST_CARDS.refused.cardCode}  is refused`);
});
