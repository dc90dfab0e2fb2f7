import { environmentOf, rowText, verdict } from './first-commands.mjs';

it.each([
  ['works', 0, ['> tranche@0.2.0 demo', '13 scenarios passed', ''], { passed: true, last: '13 scenarios passed' }],
  [
    'fails',
    1,
    ['Cannot resolve entry module', 'npm error code 1'],
    { passed: false, last: 'Cannot resolve entry module' },
  ],
  [
    'says what to install',
    1,
    ['Maven missing: install with "apt-get install maven", or start Docker', '[  2 s] stopped'],
    { passed: true, last: 'Maven missing: install with "apt-get install maven", or start Docker' },
  ],
  ['prints only its progress', 0, ['[  2 s] building'], { passed: true, last: '[  2 s] building' }],
  ['is killed', 'SIGTERM', [], { passed: false, last: '' }],
])('a command that %s', (_, exitCode, lines, expected) => {
  expect(verdict({ exitCode, lines })).toEqual({ exitCode, ...expected });
});

it('gives the clone nothing of ours', () => {
  const env = { PATH: '/clone/node_modules/.bin:/x/node_modules/.bin:/usr/bin', HOME: '/here', KAFKA_BROKERS: 'a:1' };
  expect(environmentOf({ ...env, https_proxy: 'http://p', NODE_ENV: 'test', npm_command: 'test' }, '/clone')).toEqual({
    ...{ PATH: '/usr/bin', HOME: '/here', https_proxy: 'http://p' },
  });
});

it('prints a row for each', () => {
  expect(
    rowText({ command: 'npm test', variant: 'plain', seconds: 71, passed: false, last: '1 passed, 1 failed' }),
  ).toBe('npm test                                       plain      71 s  FAIL  1 passed, 1 failed');
});
