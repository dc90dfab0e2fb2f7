import { Command, InvalidArgumentError, type Argument, type Option } from 'commander';
import { exitCodesText, UsageError } from './exit.js';

interface Parsing {
  parseArg?: ((value: string, previous: never) => unknown) | undefined;
}

/** Collects what is wrong with the arguments, so that all of it is named at once. Commander ends at the first fault. */
class CollectingCommand extends Command {
  readonly checks: ((command: Command) => readonly string[])[] = [];

  constructor(
    name: string | undefined,
    private readonly faults: string[],
  ) {
    super(name);
  }

  override createCommand(name?: string): Command {
    return new CollectingCommand(name, this.faults);
  }

  override addOption(option: Option): this {
    this.#collect(option, option.flags);
    return super.addOption(option);
  }

  override addArgument(argument: Argument): this {
    this.#collect(argument, argument.name());
    return super.addArgument(argument);
  }

  override error(message: string, { code }: { code?: string } = {}): never {
    // Commander names the first unknown option only; it leaves all of them at the end of its arguments.
    // Unknown options are left among the arguments, and would be counted as such.
    if (code === 'commander.excessArguments' && this.faults.some((fault) => fault.startsWith('unknown option')))
      return undefined as never;
    const further = code === 'commander.unknownOption' ? this.args.filter((text) => /^-./.test(text)).slice(1) : [];
    this.faults.push(message.replace(/^error: /, ''), ...further.map((option) => `unknown option '${option}'`));
    return undefined as never;
  }

  #collect(given: Parsing, name: string): void {
    const { parseArg } = given;
    if (parseArg === undefined) return;
    given.parseArg = (value, previous) => {
      try {
        return parseArg(value, previous);
      } catch (error) {
        if (!(error instanceof InvalidArgumentError)) throw error;
        this.faults.push(`${name}: '${value}' is wrong. ${error.message}`);
        return value;
      }
    };
  }
}

/** Adds faults of arguments that need each other, which are named with all others. */
export function checked(command: Command, check: (command: Command) => readonly string[]): Command {
  if (command instanceof CollectingCommand) command.checks.push(check);
  return command;
}

export type Exit = (code: number) => void;

/** The program without its commands. No command begins before all faults of its arguments are known. */
export function newProgram(): { program: Command; assertNoFaults(): void } {
  const faults: string[] = [];
  const program = new CollectingCommand('tranche', faults)
    .description('The command of Tranche, for people who run an installation')
    .exitOverride()
    .addHelpText('after', () => `\n${exitCodesText()}`);
  const assertNoFaults = (command: Command = program) => {
    if (faults.length > 0) throw new UsageError([...faults, `see \`${pathOf(command)} --help\``]);
  };
  program.hook('preAction', (_, command) => {
    if (command instanceof CollectingCommand) faults.push(...command.checks.flatMap((check) => check(command)));
    assertNoFaults(command);
  });
  return { program, assertNoFaults: () => assertNoFaults() };
}

/** A command with the names of those above it. */
export function pathOf(command: Command): string {
  const { parent } = command;
  return parent === null ? command.name() : `${pathOf(parent)} ${command.name()}`;
}
