import { InvalidArgumentError, type Command } from 'commander';
import { EXIT } from '../exit.js';
import { outputOption, printRows, say, type Format } from '../output/output.js';
import { merchantName, whole } from '../output/parse.js';
import { jsonText } from '../printable.js';
import type { Exit } from '../program.js';
import { askSimulator } from './simulator.js';

interface Rule {
  id: string;
  match: object;
  fault: object;
  applied?: number;
}
interface Match {
  operation?: string;
  order?: string;
  merchant?: string;
  times?: number;
  value?: unknown;
}

/** `tranche sim`: faults of the simulator, for development. */
export function addSimCommand(program: Command, exit: Exit): void {
  const sim = program.command('sim').description('lets the simulator of the platform misbehave; for development, never in production');
  outputOption(sim.command('faults').description('lists the fault rules')).action(async ({ output }: { output: Format }) => {
    const rules = await ask<Rule[]>('GET', 'faults');
    printRows(output, [
      { name: 'id', of: ({ id }: Rule) => id },
      { name: 'match', of: ({ match }: Rule) => jsonText(match) },
      { name: 'fault', of: ({ fault }: Rule) => jsonText(fault) },
    ], rules);
    exit(EXIT.done);
  }); // prettier-ignore

  sim
    .command('fault')
    .description('adds a fault rule: `tranche sim fault executeThenReset --order order-1 --times 1`')
    .argument('<name>', 'such as executeThenReset, dropBefore, timeout or execCode: apps/platform-simulator/README.md')
    .option('--value <json>', 'its value', json, true)
    .option('--operation <type>', 'OPERATIONTYPE, or getTransactions, token, cseKeys, tokenizer')
    .option('--order <beginning>', 'of orders whose number begins so')
    .option('--merchant <name>', 'of this merchant', merchantName)
    .option('--times <number>', 'at most so often', whole(1, 1_000_000))
    .action(async (name: string, { value, order, ...match }: Match) => {
      const rule = { match: { ...match, ...(order !== undefined && { orderPrefix: order }) }, fault: { [name]: value } };
      console.log(jsonText(await ask('POST', 'faults', rule)));
      exit(EXIT.done);
    });

  sim
    .command('clear')
    .description('takes one fault rule away, or all')
    .argument('[id]', 'id of the rule')
    .action(async (id: string | undefined) => {
      await ask('DELETE', id === undefined ? 'faults' : `faults/${encodeURIComponent(id)}`);
      exit(EXIT.done);
    });
} // prettier-ignore

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('It must be JSON.');
  }
}

async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const { status, text } = await askSimulator(method, path, body);
  if (text !== '') say(`${method} ${path}: ${status}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
