import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calledAs, commandOf, COMMANDS } from './list.mjs';

const NAMES = COMMANDS;
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const temporary = mkdtempSync(join(tmpdir(), 'tranche-hygiene-'));
/** Runs the tools as a fresh clone has them: no package is installed, nothing is built. */
const freshClone = mkdtempSync(join(tmpdir(), 'tranche-fresh-clone-'));
const commands = {};

beforeAll(async () => {
  for (const name of NAMES) commands[name] = await commandOf(name);
  for (const part of ['tools', 'package.json', 'verification/simulation/profiles.json'])
    cpSync(part, join(freshClone, part), { recursive: true });
});
afterAll(() => [temporary, freshClone].forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function tool(args, { env = {}, cwd = process.cwd() } = {}) {
  const { KAFKA_BROKERS: _kafka, REDIS_URL: _redis, FORCE_COLOR: _colour, ...rest } = process.env;
  const result = spawnSync(process.execPath, ['tools/dev.mjs', ...args], {
    env: { ...rest, TMPDIR: temporary, ...env },
    cwd,
    encoding: 'utf8',
    timeout: 110_000,
  });
  return { exitCode: result.status, stdout: result.stdout, stderr: result.stderr };
}

/** A refusal prints one line on stderr, exits with 2 and leaves no files. */
function expectRefusal({ exitCode, stdout, stderr }, fault) {
  expect(stderr.split('\n')).toEqual([expect.stringContaining(fault), '']);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(readdirSync(temporary)).toEqual([]);
}

describe.each(NAMES)('%s', (name) => {
  it('--help names how it is called, every option, variable and exit code, also in a fresh clone', () => {
    const { exitCode, stdout, stderr } = tool([name, '--help'], { cwd: freshClone });
    expect([exitCode, stderr]).toEqual([0, '']);
    const { options = {}, variables = {}, positionals } = commands[name];
    expect(stdout).toContain(`Usage: ${calledAs(name)}`);
    for (const option of Object.keys(options)) expect(stdout).toMatch(new RegExp(`^  --${option} `, 'm'));
    for (const variable of Object.keys(variables)) expect(stdout).toMatch(new RegExp(`^  ${variable} `, 'm'));
    for (const exit of ['0', '1', '2']) expect(stdout).toMatch(new RegExp(`^  ${exit} `, 'm'));
    for (const choice of positionals ?? []) expect(stdout).toContain(choice);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('tells an unknown option in one line', () => {
    expectRefusal(
      tool([name, '--nope']),
      `${calledAs(name)}: Unknown option '--nope'; see ${calledAs(name, '--help')}`,
    );
  });
});

it.each([
  [['test', '--one', '--two'], "Unknown option '--one', '--two'"],
  [
    ['bench', 'gateway', '--commands', '1.5'],
    'npm run bench: --commands must be a whole number of at least 1, not "1.5"',
  ],
  [['faults', '--mutants', '--simulated'], 'npm run faults: choose one of --simulated, --mutants'],
  [['nope'], 'there is no command nope; there is: demo, test'],
])('%j is told in one line', (args, fault) => {
  expectRefusal(tool(args), fault);
});

it('a port that is none is told in one line', () => {
  expectRefusal(
    tool(['stack'], { env: { KAFKA_PORT: 'abc' } }),
    'npm run stack: KAFKA_PORT must be a whole number from 0 to 65535, not "abc"',
  );
});

it('a temporary folder that is none is told in one line', () => {
  const { exitCode, stdout, stderr } = tool(['check-docs'], { env: { TMPDIR: 'package.json' } });
  expect(stderr).toMatch(
    /^ENOTDIR: not a directory, mkdtemp 'package\.json\/.*; see that it can be read and written, .*\n$/,
  );
  expect([exitCode, stdout]).toEqual([1, '']);
});

it('leaves nothing after its work, and nothing after an error', () => {
  expect(tool(['generate-schemas', '--check'])).toMatchObject({ exitCode: 0 });
  const failed = tool(['check-docs'], { cwd: freshClone });
  expect(failed.exitCode).toBe(1);
  expect(readdirSync(temporary)).toEqual([]);
});

it('lists all commands with a sentence each', () => {
  const { exitCode, stdout } = tool(['--help'], { cwd: freshClone });
  expect(exitCode).toBe(0);
  for (const name of NAMES) expect(stdout).toContain(commands[name].description);
});

it.each(NAMES)('%s is called by the script that its help names', (name) => {
  if (calledAs(name).startsWith('npm'))
    expect(scripts[name]).toMatch(new RegExp(`^(exec )?node tools/dev\\.mjs ${name}$`));
  else expect(scripts).not.toHaveProperty([name]);
});
