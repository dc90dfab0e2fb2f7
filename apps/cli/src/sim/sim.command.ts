import { InvalidArgumentError, type Command } from 'commander';
import { loadConfig } from '@tranche/service-kit';
import { CannotTellError, EXIT, RefusedError } from '../exit.js';
import { outputOption, printRows, say, type Format } from '../output/output.js';
import { merchantName, whole } from '../output/parse.js';
import { jsonText } from '../printable.js';
import type { Exit } from '../program.js';
import { SessionConfig } from '../session/session.config.js';
import { Session } from '../session/session.js';

const TIMEOUT_MS = 10_000;

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
  if (Session.open().isProduction) throw new RefusedError('this is production (profile, or TOPICS=check): there is no simulator to disturb');
  const { simulatorUrl } = loadConfig(SessionConfig);
  const response = await fetch(new URL(`/simulator/${path}`, simulatorUrl), {
    ...{ method, signal: AbortSignal.timeout(TIMEOUT_MS) },
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new CannotTellError(`the simulator does not answer at ${simulatorUrl.origin} (SIMULATOR_URL)\n  next: start it with \`npm run simulator\`, or set SIMULATOR_URL`, { cause });
  });
  const text = await response.text();
  if (!response.ok) throw new RefusedError(`the simulator answered ${response.status}: ${text.slice(0, 500)}`);
  if (text !== '') say(`${method} ${path}: ${response.status}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
} // prettier-ignore
