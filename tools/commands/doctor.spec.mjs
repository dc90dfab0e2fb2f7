import { spawnSync } from 'node:child_process';
import { TEST_CARDS } from '../demo/test-cards.mjs';

function doctor(env = {}) {
  const { status, stdout } = spawnSync(process.execPath, ['tools/dev.mjs', 'doctor', '--json'], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  const { checks, ok } = JSON.parse(stdout);
  return { status, ok, faultOf: (name) => checks.find((check) => check.name === name).fault, checks };
}

it('finds what every check needs to say', () => {
  const { checks, faultOf } = doctor();
  expect(checks.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['Node.js', 'Java 17 or newer', 'Maven', 'redis-server', 'Chromium', 'packages']),
  );
  expect(faultOf('Node.js')).toBeUndefined();
  expect(faultOf('merchants')).toBeUndefined();
  expect(faultOf('accounts')).toBeUndefined();
});

it('names a merchants file that is wrong, with its fix, and exits 1', () => {
  const { status, ok, faultOf } = doctor({ MERCHANTS_FILE: 'package.json' });
  expect([status, ok]).toEqual([1, false]);
  expect(faultOf('merchants')).toMatch(/correct package\.json or set MERCHANTS_FILE$/);
});

it('names an accounts file that is wrong', () => {
  expect(doctor({ ACCOUNTS_FILE: 'package.json' }).faultOf('accounts')).toBe(
    'package.json has no list accounts, callers; see apps/auth-service/README.md',
  );
  expect(doctor({ ACCOUNTS_FILE: 'no-such-file.json' }).faultOf('accounts')).toContain('no-such-file.json');
});

it('notes that the browser tests have no browser, which nothing else needs', () => {
  const { checks } = doctor({ CHROMIUM_PATH: '/nowhere' });
  const { fault, required } = checks.find(({ name }) => name === 'Chromium');
  expect(fault).toMatch(/^not found, and the browser tests need it; /);
  expect(required).toBe(false);
});

it('gives people two cards to try', () => {
  const { stdout } = spawnSync(process.execPath, ['tools/dev.mjs', 'doctor'], { encoding: 'utf8' });
  expect(stdout).toContain(`${TEST_CARDS.accepted.cardCode}  is accepted`);
  expect(stdout).toContain(`${TEST_CARDS.refused.cardCode}  is refused`);
});
