import { CommanderError } from 'commander';
import { ConfigError } from '@tranche/service-kit';
import { addAclsCommand } from './acls/acls.command.js';
import { addAttentionCommand } from './attention/attention.command.js';
import { addCommandsCommand } from './commands/commands.command.js';
import { addCompletionCommand } from './completion.command.js';
import { addControlsCommands } from './decide/controls.command.js';
import { addDecideCommands } from './decide/decide.command.js';
import { addDoctorCommand } from './doctor/doctor.command.js';
import { addDrillCommand } from './drill/drill.command.js';
import { EXIT, ExitError } from './exit.js';
import { addReplayCommand } from './decide/replay.command.js';
import { addJobsCommands } from './jobs/jobs.command.js';
import { addJournalCommand } from './journal/journal.command.js';
import { addOrdersCommands } from './orders/orders.command.js';
import { printable } from './printable.js';
import { newProgram, type Exit } from './program.js';
import { addRecordsCommands } from './records/records.command.js';
import { addLoginCommands } from './session/login.command.js';
import { addSimCommand } from './sim/sim.command.js';
import { addTopicsCommand } from './topics/topics.command.js';

/** The program with all its commands, in the order of `--help`. */
export function tranche(exit: Exit): ReturnType<typeof newProgram> {
  const made = newProgram();
  const parts = [
    ...[addAttentionCommand, addOrdersCommands, addDecideCommands, addControlsCommands, addReplayCommand],
    ...[addJobsCommands, addRecordsCommands, addCommandsCommand, addJournalCommand, addTopicsCommand, addAclsCommand],
    ...[addDoctorCommand, addSimCommand, addDrillCommand, addLoginCommands, addCompletionCommand],
  ];
  for (const add of parts) add(made.program, exit);
  return made;
}

export function exitCodeOf(error: unknown, print: (line: string) => void): number {
  // Commander has printed its own message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (error instanceof ConfigError) {
    for (const { name, message } of error.faults) print(`${name}: ${message}`);
    return EXIT.settings;
  }
  print(printable((error as Error).message));
  const { cause } = error as Error;
  if (cause instanceof Error) print(printable(`  ${cause.message}`));
  return error instanceof ExitError ? error.exitCode : EXIT.failed;
}
