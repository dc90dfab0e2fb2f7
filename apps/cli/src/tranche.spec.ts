import type { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fakeOperations, problem } from '../test/fake-operations.js';
import { aTerminal } from '../test/run-tranche.js';
import { EXIT_CODES } from './exit.js';
import { pathOf } from './program.js';
import { tranche } from './tranche.js';

let operations: Awaited<ReturnType<typeof fakeOperations>>;
let terminal: ReturnType<typeof aTerminal>;
beforeAll(async () => {
  operations = await fakeOperations();
  terminal = aTerminal({ OPERATIONS_URL: operations.url, TRANCHE_TOKEN: 'token-of-alice' });
});
afterAll(async () => {
  await operations.close();
  terminal.close();
});

const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
const commands = all(tranche(() => undefined).program).map((command) => pathOf(command).split(' ').slice(1));

it.each(commands)('%s %s --help tells what it does', async (...names) => {
  const { code, out } = await terminal.run([...names, '--help']);
  expect(code).toBe(0);
  expect(out).toContain(`Usage: ${['tranche', ...names].join(' ')}`);
});

it('the table of exit codes is in --help and in the README', async () => {
  const { out } = await terminal.run(['--help']);
  const readme = readFileSync(join(__dirname, '../README.md'), 'utf8');
  for (const [code, meaning] of EXIT_CODES) {
    expect(out).toContain(`  ${String(code).padEnd(4)}${meaning}`);
    expect(readme).toMatch(new RegExp(`\\| ${code} +\\| ${meaning.replaceAll(/[.*+?^$()|]/g, String.raw`\$&`)} +\\|`));
  }
});

it('names every fault of the arguments, and asks nobody', async () => {
  operations.says({});
  const { code, err } = await terminal.run(['resolve', '1', 'paid', '--amount', '2.50', '--exec-code', 'x', '--nonsense', '--more']);
  expect(code).toBe(2);
  for (const fault of ["outcome: 'paid'", "--amount <minor units>: '2.50'", "--exec-code <code>: 'x'", "'--nonsense'", "'--more'", '--reason'])
    expect(err).toContain(fault);
  expect(operations.requests).toEqual([]);
}); // prettier-ignore

it.each([
  ['resolve', ['order', 'outcome', '--reason <text>']],
  ['settle', ['order', 'outcome', '--reason <text>']],
  ['settle shop-fr/order-1 repaired', ['--amount', '--reference', '--reason <text>']],
  ['replay', ['dead letter', '--command <file>', '--reason <text>']],
  ['pause', ['scope', '--reason <text>']],
  ['reconcile', ['file', '--merchant <name>', '--reason <text>']],
  ['jobs resolve-by-file', ['file', '--merchant <name>', '--reason <text>']],
  ['jobs replay', ['dead letters, or --merchant', '--reason <text>']],
  ['journal skip', ['--partition <number>', '--offset <offset>', '--hash <hash>', '--requested-by <name>', '--approved-by <name>', '--reason <text>']],
])('%s alone names all that is missing', async (line, missing) => {
  const { code, err } = await terminal.run(line.split(' '));
  expect(code).toBe(2);
  for (const one of missing) expect(err).toContain(one);
}); // prettier-ignore

it('what is wrong is named beside what is missing, and unknown options are no further arguments', async () => {
  const { err } = await terminal.run(['resolve', 'no order', 'succeeded', '--reason', 'short', '--foo', '--bar']);
  for (const fault of ["order: 'no order'", "--reason <text>: 'short'", '10 to 500', "'--foo'", "'--bar'"])
    expect(err).toContain(fault);
  expect(err).not.toContain('too many arguments');
});

it.each([
  ['no such command', ['nonsense'], "unknown command 'nonsense'"],
  ['a command without its part', ['jobs', 'nonsense'], "unknown command 'nonsense'"],
  ['an argument that is missing', ['show'], "missing required argument 'order'"],
])('%s ends with 2', async (_, args, says) => {
  const { code, err, out } = await terminal.run(args);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(says);
});

const ORDER = 'GET /v1/orders/shop-fr/order-1';
it.each([
  [401, 'unauthorized', 4, 'tranche login'],
  [403, 'merchant_not_allowed', 4, 'The detail of merchant_not_allowed'],
  [404, 'order_unknown', 1, 'order_unknown'],
  [409, 'order_moved', 3, 'order_moved'],
  [503, 'unavailable', 1, 'unavailable'],
])('an answer of %d %s ends with %d', async (status, name, expected, says) => {
  operations.says({ [ORDER]: [status, problem(status, name)] });
  const { code, err, out } = await terminal.run(['show', 'shop-fr/order-1']);
  expect([code, out]).toEqual([expected, '']);
  expect(err).toContain(says);
});

it('faults of the fields are all named, and are wrong use', async () => {
  const faults = ['limit', 'sort'].map((path) => ({ path, code: 'range', message: 'must be another' }));
  operations.says({ 'GET /v1/attention': [400, problem(400, 'validation_failed', { faults })] });
  const { code, err } = await terminal.run(['attention']);
  expect(code).toBe(2);
  expect(err).toContain('limit must be another');
  expect(err).toContain('sort must be another');
});

it('an address where nobody listens is named, with its setting and what to do', async () => {
  const { code, err } = await terminal.run(['attention'], { OPERATIONS_URL: 'http://127.0.0.1:1' });
  expect(code).toBe(1);
  expect(err).toMatch(/operations does not answer at http:\/\/127\.0\.0\.1:1 \(OPERATIONS_URL\).*\n {2}next: /);
});

it('a wrong setting ends with 78', async () => {
  const { code, err } = await terminal.run(['attention'], { OPERATIONS_URL: 'ftp://elsewhere' });
  expect(code).toBe(78);
  expect(err).toContain('OPERATIONS_URL');
});

it.each(['bash', 'zsh', 'fish'])('completes commands in %s', async (shell) => {
  const { out } = await terminal.run(['completion', shell]);
  expect(out).toContain('attention');
  expect(out).toContain('--dry-run');
});
