import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { codeBlocks } from '../checks/code-blocks.mjs';
import { Expected } from '../infra/processes.mjs';
import { oneOf } from './values.mjs';
import { CHROMIUM, PORT_OFFSET } from './variables.mjs';

/** A newcomer may type any of these first. Only one variant runs the whole `npm test`: elsewhere its beginning is what may fail. */
const COMMANDS = {
  demo: 'npm run demo',
  test: 'npm test',
  stack: 'npm run stack',
  doctor: 'npm run doctor',
  docs: 'npm run docs',
  pack: 'npm run pack',
  verify: 'npm run verify',
  bench: 'npm run bench -- gateway --only ceiling-lean',
  faults: 'npm run faults -- --runs 1',
  build: 'npm run build',
};
const PART_OF_TEST = 'npm test -- tools/infra libs/kafka/src';
const VARIANTS = ['plain', 'blank', 'user'];
/** The person of the variant `user`: not root, and without Docker. */
const USER = 'tranche-newcomer';
const QUICKSTART = 'docs/pay-from-typescript.md';
const TIMEOUT_MS = 45 * 60_000;
const PASSED_ON =
  /^(?:LANG|TERM|HOME|(?:https?|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|CHROMIUM_PATH|STACK_PORT_OFFSET)$/i;

export const description =
  'tries each command as the first one in a clone of the last commit of its own: nothing installed, nothing built';
export const options = {
  only: { value: 'NAME', help: `one of ${Object.keys(COMMANDS).join(', ')}`, check: oneOf(Object.keys(COMMANDS)) },
  in: { value: 'VARIANT', help: 'one of plain, blank (in the name of the folder), user (not root, no Docker)', check: oneOf(VARIANTS) }, // prettier-ignore
  json: { help: 'ends with one JSON line; all else goes to stderr' },
};
export const variables = { ...CHROMIUM, ...PORT_OFFSET };
export const exitCodes = { 0: 'each works, or says in one line what to install', 1: 'one does not' };

export async function run({ options: { only, in: within, json }, held, log }) {
  const print = json ? (line) => console.error(line) : (line) => console.log(line);
  // Others than root must come through to their clone.
  chmodSync(process.env.TMPDIR, 0o711);
  process.on('exit', removeUser);
  const rows = [];
  for (const variant of within ? [within] : VARIANTS)
    for (const name of only ? [only] : Object.keys(COMMANDS)) {
      const command = name === 'test' && variant !== 'plain' ? PART_OF_TEST : COMMANDS[name];
      if (variant === 'user' && process.getuid() !== 0) {
        log(`${command}: only root can make another user; left out`);
        continue;
      }
      log(`${command} (${variant})`);
      rows.push({ command, variant, ...(await tried(command, variant, { held })) });
      print(rowText(rows.at(-1)));
    }
  const failed = rows.filter(({ passed }) => !passed).length;
  print(`${rows.length - failed} first commands passed, ${failed} failed`);
  if (json) console.log(JSON.stringify({ rows, passed: rows.length - failed, failed }));
  return failed === 0 ? 0 : 1;
}

export const rowText = ({ command, variant, seconds, passed, last }) =>
  [command.padEnd(45), variant.padEnd(6), `${seconds} s`.padStart(7), passed ? 'pass' : 'FAIL', last].join('  ');

/** Makes the clone, tries the command in it and removes it. */
async function tried(command, variant, { held }) {
  const place = held.folder(variant === 'blank' ? 'first command-' : 'first-');
  const clone = join(place, variant === 'blank' ? 'my clone' : 'tranche');
  const env = { ...environmentOf(process.env, resolve('.')), TMPDIR: join(place, 'tmp') };
  mkdirSync(env.TMPDIR);
  ran('git', ['clone', '--quiet', resolve('.'), clone]);
  if (variant === 'user') Object.assign(env, settledIn(place));
  const begin = (line, more) => {
    const words = [...(variant === 'user' ? ['runuser', '-u', USER, '--'] : []), ...line.split(' ')];
    return begun(held, words, { cwd: clone, env: { ...env, ...more } });
  };
  const since = performance.now();
  const outcome = await (command === COMMANDS.stack ? stackTried(begin, command) : begin(command).ended());
  const seconds = Math.round((performance.now() - since) / 1000);
  rmSync(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  return { seconds, ...verdict(outcome) };
}

/** Makes the user with this home, where npm has the registry of ours but an empty cache. Returns variables of theirs. */
function settledIn(home) {
  removeUser();
  ran('useradd', ['--system', '--no-create-home', '--home-dir', home, '--shell', '/bin/bash', USER]);
  ran('chown', ['-R', USER, home]);
  return { HOME: home, npm_config_registry: ran('npm', ['config', 'get', 'registry']).trim() };
}

const removeUser = () => spawnSync('userdel', ['--force', USER]);

/** The quickstart beside the stack, by the commands of its page. */
async function stackTried(begin, command) {
  const blocks = codeBlocks(QUICKSTART, readFileSync(QUICKSTART, 'utf8')).filter(({ language }) => language === 'sh');
  const [first, ...others] = blocks.flatMap(({ code }) => code.trim().split('\n'));
  if (first !== command) throw new Expected(`${QUICKSTART} begins with ${first}, not with ${command}`);
  const stack = begin(command);
  await stack.says('KAFKA_BROKERS=', 'running until Ctrl-C');
  if (stack.exitCode() !== undefined) return stack.ended();
  const [, brokers] = /^KAFKA_BROKERS=(\S+)/m.exec(stack.lines.join('\n')) ?? [];
  const outcomes = [];
  for (const line of others.filter((one) => one.startsWith('node examples/')))
    outcomes.push(await begin(line, { KAFKA_BROKERS: brokers }).ended());
  stack.kill('SIGINT');
  return outcomes.find(({ exitCode }) => exitCode !== 0) ?? { ...(await stack.ended()), lines: outcomes.at(-1).lines };
}

function begun(held, [program, ...args], options) {
  const lines = [];
  let tell = () => undefined;
  const onLine = (line) => {
    lines.push(line);
    tell();
  };
  const child = held.start(program, args, { ...options, onLine });
  return {
    lines,
    kill: child.kill,
    exitCode: () => child.exitCode,
    /** Resolves when it has said all of these, or when it has ended. */
    says(...texts) {
      const isSaid = () => texts.every((text) => lines.some((line) => line.includes(text)));
      return Promise.race([child.exited, new Promise((done) => (tell = () => isSaid() && done())), late()]);
    },
    ended: async () => ({ exitCode: await Promise.race([child.exited, late().then(() => child.kill())]), lines }),
  };
}

const late = () => delay(TIMEOUT_MS, undefined, { ref: false });

/** A command passes if it works, or if the last thing that it says is what to install. npm's own lines tell nothing, those of progress little. */
export function verdict({ exitCode, lines }) {
  const said = lines.filter((line) => line.trim() !== '' && !/^(?:npm |> )/.test(line));
  const last = said.filter((line) => !/^\[ *\d+ s\] /.test(line)).at(-1) ?? said.at(-1) ?? '';
  return { passed: exitCode === 0 || / missing: install with "/.test(last), last, exitCode };
}

/** Nothing of ours: no settings, and no programs of our node_modules. */
export function environmentOf(env, root) {
  const kept = Object.entries(env).filter(([name]) => PASSED_ON.test(name));
  const PATH = env.PATH.split(delimiter).filter(
    (folder) => !folder.startsWith(root) && !folder.includes('node_modules'),
  );
  return { ...Object.fromEntries(kept), PATH: PATH.join(delimiter) };
}

function ran(program, args) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Expected(`${[program, ...args].join(' ')} ended with ${status}\n${stderr ?? ''}`);
  return stdout;
}
