import type { Command } from 'commander';
import type { Order, Orders, Proposals, Timeline } from '../api/operations.js';
import { EXIT, ExitError } from '../exit.js';
import { money, outputOption, printOne, printRows, relative, say, type Format } from '../output/output.js';
import { merchantName, minorUnits, orderArgument, whole } from '../output/parse.js';
import { jsonText, printableInLine } from '../printable.js';
import type { Exit } from '../program.js';
import { pathOfOrder } from '../session/api.js';
import { Session } from '../session/session.js';
import { attentionText } from './next-lines.js';
import { amountsText, elsewhereText, operationsOf, OPERATION_COLUMNS, valueAt } from './order-text.js';

interface Output {
  output: Format;
}

/** `tranche show`, `timeline`, `why`, `case` and `search`: one order, and how to find it. */
export function addOrdersCommands(program: Command, exit: Exit): void {
  outputOption(orderArgument(program.command('show').description('shows an order: state, amounts, operations, what needs a person, and the commands that end it')))
    .action(async (text: string, { output }: Output) => {
      const session = Session.open();
      const order = await session.api.get<Order>(pathOfOrder(session.order(text)));
      const operations = operationsOf(order);
      const isText = output === 'table';
      if (isText) printOne(output, fieldsOf(order), order);
      if (output === 'csv' || (isText && operations.length > 0)) printRows(output, OPERATION_COLUMNS, operations);
      if (!isText && output !== 'csv') printOne(output, [], order);
      if (isText) for (const line of elsewhereText(order)) say(line);
      for (const line of attentionText(order, await openProposals(session, order))) say(line);
      exit(EXIT.done);
    }); // prettier-ignore

  const timeline = orderArgument(program.command('timeline'))
    .description('tells what became of an order: commands, calls, notifications, events and decisions, by time')
    .option('--at <time>', 'as it was then, an RFC 3339 time');
  outputOption(timeline).action(async (text: string, { output, at }: Output & { at?: string }) => {
    const { entries, ...story } = await timelineOf(text, at);
    const columns = [
      { name: 'at', of: (entry: Entry) => entry.at },
      { name: 'kind', of: (entry: Entry) => entry.kind },
      { name: 'place', of: (entry: Entry) => placeText(entry) },
      { name: 'says', of: (entry: Entry) => saysOf(entry) },
    ];
    printRows(output, columns, entries, { ...story, entries });
    say(`${story.status}${at === undefined ? '' : ` at ${at}`}: ${amountsText(story.amounts)}`);
    exit(EXIT.done);
  });

  const why = orderArgument(program.command('why'))
    .description('names the record that made each field of an order, or one field')
    .argument('[field]', 'a field or the beginning of its path, such as status or operations.COMMAND.phase');
  outputOption(why).action(async (text: string, field: string | undefined, { output }: Output) => {
    const story = await timelineOf(text);
    const rows = Object.entries(story.why as unknown as Record<string, Maker>)
      .filter(([path]) => field === undefined || path === field || path.startsWith(`${field}.`))
      .map(([path, maker]) => ({ path, value: valueAt(story, path), ...maker }));
    if (rows.length === 0) throw new ExitError(EXIT.failed, `${field} is no field of the order; without a field all are listed`);
    const columns = [
      { name: 'field', of: (row: (typeof rows)[number]) => row.path },
      { name: 'value', of: (row: (typeof rows)[number]) => shown(row.value) },
      { name: 'made by', of: (row: (typeof rows)[number]) => row.kind },
      { name: 'at', of: (row: (typeof rows)[number]) => row.at },
      { name: 'record', of: (row: (typeof rows)[number]) => `${row.partition}/${row.offset}` },
    ];
    printRows(output, columns, rows);
    exit(EXIT.done);
  }); // prettier-ignore

  orderArgument(program.command('case'))
    .description('prints one file that folds the order again without Kafka; it has nothing of the buyer')
    .action(async (text: string) => {
      const session = Session.open();
      console.log(jsonText(await session.api.get(`${pathOfOrder(session.order(text))}/case`)));
      exit(EXIT.done);
    });

  const search = program
    .command('search')
    .description('finds orders, those that moved last first')
    .argument('[text]', 'an order number or its beginning, merchant/order, a TRANSACTIONID, or the id of a command')
    .option('--status <status>', 'of this status, such as captured or in_doubt')
    .option('--merchant <name>', 'of this merchant', merchantName)
    .option('--amount <minor units>', 'with this amount', minorUnits)
    .option('--from <time>', 'moved from this RFC 3339 time on')
    .option('--to <time>', 'moved until this RFC 3339 time')
    .option('--limit <number>', 'at most so many', whole(1, 500), 50);
  outputOption(search).action(async (q: string | undefined, { output, ...query }: Output & { limit: number }) => {
    const session = Session.open();
    const found = await session.api.get<Orders>('/v1/orders', { q, ...query });
    const rows = found.orders.map((order, at) => ({ ...order, row: at + 1 }));
    session.remember(found.orders.map(({ merchant, orderId }) => ({ merchant, orderId })));
    const columns = [
      { name: 'row', of: (one: (typeof rows)[number]) => one.row },
      { name: 'order', of: (one: (typeof rows)[number]) => `${one.merchant}/${one.orderId}` },
      { name: 'status', of: (one: (typeof rows)[number]) => one.status },
      { name: 'amount', of: (one: (typeof rows)[number]) => money(one.amount, one.currency) },
      { name: 'moved', of: (one: (typeof rows)[number]) => relative(one.movedAt) },
    ];
    printRows(output, columns, rows, found);
    if (rows.length === 0) say('no such order');
    if (found.next !== undefined) say('there is more: narrow the search, or raise --limit');
    exit(rows.length === 0 ? EXIT.failed : EXIT.done);
  });
}

/** The gateway alone knows them: without its answer there is none. */
async function openProposals(session: Session, { attention, merchant, orderId }: Order) {
  if (attention.length === 0) return [];
  const { proposals } = await session.api.get<Proposals>('/v1/proposals').catch(() => ({ proposals: [] }));
  return proposals.filter((one) => one.state === 'open' && one.merchant === merchant && one.orderId === orderId);
}

type Entry = Timeline['entries'][number];
/** The record that gave a field its value. */
interface Maker {
  partition: number;
  offset: string;
  kind: string;
  at: string;
}

async function timelineOf(text: string, at?: string): Promise<Timeline> {
  const session = Session.open();
  return session.api.get<Timeline>(`${pathOfOrder(session.order(text))}/timeline`, { at });
}

const placeText = ({ topic, partition, offset }: Entry): string => `${topic} ${partition}/${offset}`;

function fieldsOf({ merchant, orderId, status, state, amounts, movedAt, asOf }: Order): [string, string][] {
  const isFrozen = (state as { isFrozen?: true }).isFrozen === true;
  return [
    ['order', `${merchant}/${orderId}`],
    ['status', isFrozen ? `${status}, frozen: every command is rejected (order_frozen)` : status],
    ['amounts', amountsText(amounts)],
    ['moved', `${movedAt} (${relative(movedAt)})`],
    ['as of', `journal ${asOf.partition}/${asOf.next}`],
  ];
}

/** A record in one line. */
function saysOf({ body, changed = [] }: Entry): string {
  const { result, reason, answer, message, operation, amount, actor, approvedBy, outcome } = body;
  const { execCode, transactionId } = (answer ?? {}) as { execCode?: string; transactionId?: string };
  const texts = [operation, amount, result ?? outcome, execCode, transactionId, reason, message, actor, approvedBy];
  const said = texts.filter((one) => typeof one === 'string' || typeof one === 'number').join(' ');
  return said === '' ? changed.slice(0, 3).join(' ') : said;
}

const shown = (value: unknown): string =>
  printableInLine(typeof value === 'string' ? value : jsonText(value ?? null)).slice(0, 80);
