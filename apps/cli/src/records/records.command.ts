import type { Command } from 'commander';
import type { Records } from '../api/operations.js';
import { EXIT } from '../exit.js';
import { outputOption, printRows, say, type Format } from '../output/output.js';
import { merchantName, whole } from '../output/parse.js';
import { jsonText, printableInLine } from '../printable.js';
import type { Exit } from '../program.js';
import { runProgram } from '../programs.js';
import { Session } from '../session/session.js';
import { follow, untilInterrupted } from '../session/stream.js';

type Entry = Records['entries'][number];

interface Options {
  merchant?: string;
  kind?: string;
  order?: string;
  closed?: true;
  all?: true;
  limit: number;
  output: Format;
}

/** `tranche audit`, `dead-letters`, `quarantine` and `events`: what Kafka holds for people. */
export function addRecordsCommands(program: Command, exit: Exit): void {
  const list = (command: Command, path: string, description: string): Command =>
    outputOption(command.description(description))
      .option('--merchant <name>', 'of this merchant', merchantName)
      .option('--kind <kind>', 'with this action, code or reason')
      .option('--order <number>', 'of this order number')
      .option('--limit <number>', 'at most so many', whole(1, 500), 50)
      .action(async (options: Options) => exit(await printEntries(path, options)));

  list(program.command('audit'), 'audit', 'lists what operators changed, the newest first').option('--all', 'also what they looked at, what was refused, and the record before each deed');
  list(program.command('dead-letters'), 'dead-letters', 'lists commands that were not taken, the newest first; `tranche jobs replay` judges and replays them');

  const quarantine = program.command('quarantine').description('notifications that were not believed');
  list(quarantine.command('list'), 'quarantine', 'lists those that are open, the newest first').option('--closed', 'those that were verified again and published, instead');
  quarantine
    .command('reverify')
    .description('verifies each again with the keys of MERCHANTS_FILE, and publishes what is genuine now, which closes it; run it with the environment of notification-ingest')
    .option('--merchant <name>', 'of this merchant', merchantName)
    .option('--since <time>', 'a date, a time, or 90m, 24h, 7d')
    .option('--json', 'prints JSON')
    .option('--dry-run', 'publishes nothing')
    .action(async (options: Record<string, string | boolean>) =>
      exit(await runProgram('notification-ingest', 'quarantine', ['reverify', ...argumentsOf(options)])),
    );

  program
    .command('accounts')
    .description("accounts of the platform's token API")
    .command('check')
    .description('asks the token API for a token of each account; run it with the environment of auth-service')
    .option('--json', 'prints JSON')
    .action(async (options: Record<string, boolean>) => exit(await runProgram('auth-service', 'check', argumentsOf(options))));

  const tail = program.command('events').description('what happens now').command('tail');
  outputOption(tail.description('prints each order that changes, until Ctrl-C'), 'table')
    .option('--merchant <name>', 'of this merchant', merchantName)
    .action(async (options: Pick<Options, 'merchant' | 'output'>) => {
      await tailEvents(options);
      exit(EXIT.done);
    }); // prettier-ignore
} // prettier-ignore

async function printEntries(path: string, { output, order, closed, all, ...query }: Options): Promise<number> {
  const session = Session.open();
  const page = await session.api.get<Records>(`/v1/${path}`, {
    ...query,
    orderId: order,
    closed: closed && 'true',
    deeds: path === 'audit' && all === undefined ? 'true' : undefined,
  });
  const rows = page.entries.map((entry, at) => ({ ...entry, row: at + 1 }));
  session.remember(
    page.entries.map((entry) => ({ kind: path === 'dead-letters' ? 'dead letter' : path, ...named(entry) })),
  );
  const columns = [
    { name: 'row', of: (one: (typeof rows)[number]) => one.row },
    { name: 'at', of: (one: (typeof rows)[number]) => one.at },
    { name: 'order', of: (one: (typeof rows)[number]) => [one.merchant, one.orderId].filter(Boolean).join('/') },
    { name: 'kind', of: (one: (typeof rows)[number]) => one.kind },
    { name: 'says', of: (one: (typeof rows)[number]) => bodyText({ ...one.body, ...one.closed }) },
    { name: 'id', of: (one: (typeof rows)[number]) => one.id },
    ...(path === 'audit' || output !== 'csv' ? [] : [{ name: 'to do', of: (one: (typeof rows)[number]) => one.todo }]),
  ];
  printRows(output, columns, rows, page);
  if (output === 'table') for (const line of todoLines(rows)) say(line);
  if (rows.length === 0) say('nothing is there');
  if (page.next !== undefined) say('there is more: raise --limit, or filter');
  return EXIT.done;
}

/** Says what to do below the table; a command is a line of its own, so that it can be typed as it stands. */
function todoLines(rows: readonly (Entry & { row: number })[]): string[] {
  const texts = new Map<string, number[]>();
  for (const { todo, row } of rows) if (todo !== undefined) texts.set(todo, [...(texts.get(todo) ?? []), row]);
  return [...texts].flatMap(([todo, of]) => {
    const [text = '', command] = todo.split(/: (?=tranche )/);
    return [
      `${of.join(', ')}: ${text}${command === undefined ? '' : ':'}`,
      ...(command === undefined ? [] : [`    ${command}`]),
    ].map(printableInLine);
  });
}

const named = (entry: Entry) => ({
  id: entry.id,
  ...(entry.merchant !== undefined && { merchant: entry.merchant }),
  ...(entry.orderId !== undefined && { orderId: entry.orderId }),
});

/** The texts and numbers of an entry, in one line. */
function bodyText({ operator, result, ...body }: Record<string, unknown>): string {
  // The person and the result come first, because a long line is cut off; what is left out has a column.
  const first = { operator, result, ...body };
  const shown = Object.entries(first).filter(([name]) => !['action', 'merchant', 'orderId', 'role'].includes(name));
  const texts = shown.flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [`${name} ${value}`] : [],
  );
  return printableInLine(texts.join(', ')).slice(0, 120);
}

async function tailEvents({ merchant, output }: Pick<Options, 'merchant' | 'output'>): Promise<void> {
  const session = Session.open();
  for await (const { type, data } of follow(session.api, untilInterrupted())) {
    const order = data as { merchant: string; orderId: string; status: string; movedAt: string };
    if (type !== 'order' || (merchant !== undefined && order.merchant !== merchant)) continue;
    if (output === 'json' || output === 'jsonl') console.log(jsonText(order));
    else
      console.log(
        printableInLine(
          [order.movedAt, `${order.merchant}/${order.orderId}`, order.status].join(output === 'csv' ? ',' : '  '),
        ),
      );
  }
}

const argumentsOf = (options: Record<string, string | boolean>): string[] =>
  Object.entries(options).flatMap(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return value === true ? [flag] : [flag, String(value)];
  });
