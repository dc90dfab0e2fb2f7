import 'reflect-metadata';
import { Command, CommanderError } from 'commander';
import { reportWarnings } from '@tranche/runtime';
import { ConfigError } from '@tranche/service-kit';
import { addAclsCommand } from './acls/acls.command.js';
import { addCommandsCommand } from './commands/commands.command.js';
import { EXIT, RefusedError } from './exit.js';
import { addJournalCommand } from './journal/journal.command.js';
import { addTopicsCommand } from './topics/topics.command.js';

const print = (line: string) => void process.stderr.write(`${line}\n`);

reportWarnings(({ message }) => print(message));
const program = new Command('tranche').description('For people who run an installation of Tranche').exitOverride();
const exit = (code: number) => void (process.exitCode = code);
addJournalCommand(program, exit);
addCommandsCommand(program, exit);
addTopicsCommand(program, exit);
addAclsCommand(program, exit);
// No `await` here: the bundle is CommonJS.
program.parseAsync().catch((error: unknown) => void (process.exitCode = exitCodeOf(error)));

function exitCodeOf(error: unknown): number {
  // Commander has printed its own message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.cannotTell;
  if (error instanceof ConfigError) {
    for (const { name, message } of error.faults) print(`${name}: ${message}`);
    return EXIT.cannotTell;
  }
  print((error as Error).message);
  if (error instanceof RefusedError) return EXIT.failed;
  const { cause } = error as Error;
  if (cause instanceof Error) print(`  ${cause.message}`);
  return EXIT.cannotTell;
}
