/** Runs a command, or prints `--help`, or one line about what is wrong (exit code 2). */
import { runTool } from '../infra/run-tool.mjs';
import { readCommandLine } from './command-line.mjs';
import { helpText } from './help.mjs';
import { calledAs, commandOf, COMMANDS } from './list.mjs';

const WRONG_USE = 2;

/** Progress goes to stderr, so that stdout has only the tool's output. */
const log = (line) => console.error(`[${(performance.now() / 1000).toFixed(0).padStart(3)} s] ${line}`);

export async function main([name, ...args], env = process.env) {
  if (name === undefined || name === '--help' || name === '-h') return overview(name === undefined ? WRONG_USE : 0);
  if (!COMMANDS.includes(name)) return refuse(`there is no command ${name}; there is: ${COMMANDS.join(', ')}`);
  const command = await commandOf(name);
  const { isHelp, fault, ...read } = readCommandLine(command, args, env);
  if (isHelp) return process.stdout.write(helpText(name, command));
  const wrong = fault ?? (await command.fault?.({ ...read, env }));
  if (wrong) return refuse(`${calledAs(name)}: ${wrong}; see ${calledAs(name, '--help')}`);
  const runsUntilStopped = command.runsUntilStopped?.(read.options) ?? false;
  await runTool(({ held, signal }) => command.run({ ...read, held, signal, log }), { runsUntilStopped });
}

async function overview(exitCode) {
  const rows = COMMANDS.map(async (name) => `${calledAs(name).padEnd(42)} ${(await commandOf(name)).description}`);
  process.stdout.write(`${(await Promise.all(rows)).join('\n')}\n\nEach of them takes --help.\n`);
  process.exitCode = exitCode;
}

function refuse(line) {
  process.stderr.write(`${line}\n`);
  process.exitCode = WRONG_USE;
}
