import { readFileSync } from 'node:fs';
import { readCommandLine } from './command-line.mjs';
import { commandOf, COMMANDS } from './list.mjs';
import { brokers, builtClone, program, someOf, url, version, wholeNumber } from './values.mjs';

const NAMES = COMMANDS;
const commands = {};
beforeAll(async () => {
  for (const name of NAMES) commands[name] = await commandOf(name);
});

async function faultOf(name, args, env = {}) {
  const { fault, ...read } = readCommandLine(commands[name], args, env);
  return fault ?? commands[name].fault?.({ ...read, env });
}

const enough = (name) => (commands[name].positionals ?? []).slice(0, 1);

describe.each(NAMES)('%s', (name) => {
  it('is content with its defaults, and takes -h', async () => {
    await expect(faultOf(name, enough(name))).resolves.toBeUndefined();
    expect(readCommandLine(commands[name], ['-h'], {})).toEqual({ isHelp: true });
  });

  it('tells an unknown option and an unknown argument', async () => {
    if (commands[name].passesOn) return; // the other program checks these arguments
    await expect(faultOf(name, [...enough(name), '--nope'])).resolves.toBe("Unknown option '--nope'");
    await expect(faultOf(name, ['nope'])).resolves.toContain('nope');
  });

  it('tells an option without its value, and a value that it can not use', async () => {
    for (const [option, { value, check }] of Object.entries(commands[name].options ?? {})) {
      if (value)
        await expect(faultOf(name, [`--${option}`])).resolves.toBe(`Option '--${option} <value>' argument missing`);
      else if (!commands[name].passesOn)
        await expect(faultOf(name, [`--${option}=yes`])).resolves.toBe(
          `Option '--${option}' does not take an argument`,
        );
      if (check)
        await expect(faultOf(name, [`--${option}`, '/dev/null/no'])).resolves.toMatch(
          new RegExp(`^--${option} .*/dev/null/no`),
        );
    }
  });

  it('tells a variable that it can not use, and takes an empty one for one that is not set', async () => {
    for (const [variable, { check }] of Object.entries(commands[name].variables ?? {})) {
      if (check)
        await expect(faultOf(name, enough(name), { [variable]: '/dev/null/no' })).resolves.toMatch(
          new RegExp(`^${variable} `),
        );
      await expect(faultOf(name, enough(name), { [variable]: '' })).resolves.toBeUndefined();
    }
  });
});

it.each([
  ['faults', ['--profile', 'rough'], '--profile goes with --simulated'],
  ['faults', ['--amounts', '--only', 'x'], '--only does not go with --amounts'],
  ['bench', [], 'give one of gateway, ingest, journal, keys, memory, operations, rebuild, tokens, not none'],
  [
    'bench',
    ['gateway', 'journal'],
    'give one of gateway, ingest, journal, keys, memory, operations, rebuild, tokens, not gateway journal',
  ],
  [
    'stack',
    ['--without', 'auth-service,gateway'],
    '--without must be one of payment-gateway, notification-ingest, auth-service, cse-token-service, operations, checkout-demo, platform-simulator, not "gateway"',
  ],
  ['demo', ['--logs', '--json'], "Option '--logs' argument is ambiguous"],
])('%s %j: %s', async (name, args, fault) => {
  await expect(faultOf(name, args)).resolves.toBe(fault);
});

it.each([
  [brokers, ['127.0.0.1:9092', 'a:1,b.example:65535'], ['[::1]:9092', 'kafka://a:9092', 'a', 'a:99999', 'a:1,,b:2']],
  [
    url('redis:', 'rediss:'),
    ['redis://127.0.0.1:6379', 'rediss://u:p@r.example/4'],
    ['127.0.0.1:6379', 'http://a', 'redis:'],
  ],
  [someOf(['a', 'b']), ['a', 'b,a'], ['c', 'a,c', 'a,', 'a b']],
  [version, ['4.1.1', '3.9.2'], ['4', '4.1', 'latest', '']],
  [program, ['node'], ['no-such-program']],
  [builtClone, [], ['.infra', 'no-such-folder']],
  [wholeNumber({ min: 1, max: 10 }), ['1', '10'], ['0', '11', '1.5', '-1', '1e1', '']],
])('%p: what it takes and what it refuses', (check, right, wrong) => {
  for (const text of right) expect([text, check(text)]).toEqual([text, undefined]);
  for (const text of wrong) expect([text, check(text)]).toEqual([text, expect.stringMatching(/^must be /)]);
});

it('an address that may hold a password is never repeated', () => {
  expect(url('redis:')('http://user:secret@host')).not.toContain('secret');
});

it.each([
  ['bench', 'verification/bench/bench.ts', []],
  ['faults', 'verification/main.ts', []],
])('%s names the options of what it starts', (name, file, notForPeople) => {
  const own = [...readFileSync(file, 'utf8').matchAll(/^ +'?([a-z-]+)'?: \{ type: '(?:string|boolean)'/gm)].map(
    ([, option]) => option,
  );
  expect(Object.keys(commands[name].options).sort()).toEqual(
    own.filter((option) => !notForPeople.includes(option)).sort(),
  );
});
