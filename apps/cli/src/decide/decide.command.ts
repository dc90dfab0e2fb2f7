import type { Command } from 'commander';
import { conflictsOf, operationIdOf } from '@tranche/order-journal';
import type { DryRun, Order, Proposal, Proposals } from '../api/operations.js';
import { EXIT, RefusedError, UsageError } from '../exit.js';
import { money, outputOption, printOne, printRows, relative, say, type Format } from '../output/output.js';
import { execCode, minorUnits, oneOf, orderArgument, reasonOption, transactionId } from '../output/parse.js';
import { printableInLine } from '../printable.js';
import { checked, type Exit } from '../program.js';
import { pathOfOrder, type Answer } from '../session/api.js';
import { agree, type Asked } from '../session/ask.js';
import { Session, type OrderRef } from '../session/session.js';
import { stateOf } from '../orders/order-text.js';
import { previewText, saidOf, type Said } from './said.js';

const OUTCOMES = ['succeeded', 'refused', 'not_executed', 'redirect_required'] as const;
const RESULTS = ['succeeded', 'refused', 'not_executed'] as const;

interface Options extends Asked {
  output: Format;
  dryRun?: boolean;
}
type Statement = Options & {
  reason: string;
  transactionId?: string;
  execCode?: string;
  amount?: number;
  result?: string;
  reference?: string;
  command?: string;
  conflict?: string;
};

/** `tranche resolve`, `settle`, `approve` and `reject`: what people state, each with what it would do before it is said. */
export function addDecideCommands(program: Command, exit: Exit): void {
  statement(orderArgument(program.command('resolve')))
    .description('says how an operation in doubt, or a payment that waits, ended, as the back office shows it')
    .argument('<outcome>', OUTCOMES.join(', '), dashed(OUTCOMES))
    .option('--exec-code <code>', 'EXECCODE as the back office shows it', execCode)
    .option('--command <id>', 'id of the command, where several of its operations are open')
    .action(async (text: string, outcome: string, options: Statement) => {
      const session = Session.open();
      const ref = session.order(text);
      const id = await operationId(session, ref, options);
      const { reason, transactionId, execCode, amount } = options;
      const body = { outcome, reason, ...given({ transactionId, execCode, amount }) };
      exit(await sayIt(session, { ref, path: `/v1/operations/${id}/resolve`, body, what: `${outcome} of ${nameOf(ref)}` }, options));
    }); // prettier-ignore

  checked(statement(orderArgument(program.command('settle'))), repairFaults)
    .description('states what a conflict came to: kept (a result stands) or repaired (money was given back elsewhere); a second person approves it')
    .argument('<outcome>', 'kept or repaired', oneOf(['kept', 'repaired']))
    .option('--result <result>', `of kept: the result that stands, also where reports differ about the amount only (then with --amount): ${RESULTS.join(', ')}`, dashed(RESULTS))
    .option('--reference <text>', 'of repaired: TRANSACTIONID of the refund, or the reference of the transfer')
    .option('--conflict <reason or id>', 'which one, where the order has several')
    .action(async (text: string, outcome: string, options: Statement) => {
      const session = Session.open();
      const ref = session.order(text);
      const id = await conflictId(session, ref, options);
      const { reason, transactionId, amount, result, reference } = options;
      const body = { outcome, reason, ...given({ transactionId, amount, result, reference }) };
      exit(await sayIt(session, { ref, path: `/v1/conflicts/${id}/settle`, body, what: `${outcome}, the conflict of ${nameOf(ref)}` }, options));
    }); // prettier-ignore

  for (const verb of ['approve', 'reject'] as const)
    confirmed(program.command(verb))
      .description(`${verb}s what another person proposed; without one it lists the open proposals`)
      .argument('[proposal]', 'id of the proposal, a row of the last list, or merchant/order')
      .action(async (text: string | undefined, options: Options) => {
        const session = Session.open();
        exit(text === undefined ? await listProposals(session, options) : await decide(session, verb, text, options));
      });
}

const confirmed = (command: Command): Command =>
  outputOption(command)
    .option('--dry-run', 'shows what it would do, and does nothing')
    .option('--yes', 'does not ask')
    .option('--confirm <order>', 'for programs, in production: merchant/order once more');

const statement = (command: Command): Command =>
  reasonOption(confirmed(command), 'how you know it', 'kept in the journal')
    .option('--transaction-id <id>', 'TRANSACTIONID as the back office shows it', transactionId)
    .option('--amount <minor units>', 'where another amount was moved, or what was given back', minorUnits);

/** Names all of what a repair needs: the fold would name one after the other. */
function repairFaults(command: Command): string[] {
  if (command.args[1] !== 'repaired') return [];
  return ['amount', 'reference'].flatMap((name) =>
    command.getOptionValue(name) === undefined ? [`repaired needs --${name}`] : [],
  );
}

/** Names are written with dashes or underscores. */
function dashed<T extends string>(values: readonly T[]): (text: string) => T {
  const parse = oneOf(values);
  return (text) => parse(text.replaceAll('-', '_'));
}

const given = (fields: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const nameOf = ({ merchant, orderId }: OrderRef): string => `${merchant}/${orderId}`;

interface Words {
  ref: OrderRef;
  path: string;
  body: object;
  what: string;
}

/** Shows what the statement would do, asks, says it, and tells whether it counted. */
async function sayIt(session: Session, { ref, path, body, what }: Words, options: Options): Promise<number> {
  session.assertPerson();
  const { body: preview } = await session.api.send<DryRun>('POST', path, body, { dryRun: 'true' });
  for (const line of previewText(preview)) say(line);
  if (options.dryRun === true) {
    if (options.output !== 'table') printOne(options.output, [], preview);
    say('nothing was said (--dry-run)');
    return EXIT.done;
  }
  await agree(printableInLine(what), nameOf(ref), session.isProduction, options);
  return tell(await session.api.send<Said>('POST', path, body), ref, options);
}

function tell({ status, body }: Answer<Said>, ref: OrderRef, { output }: Options): number {
  const { text, code } = saidOf(status, body, nameOf(ref));
  if (output !== 'table') printOne(output, [], body);
  say(printableInLine(text));
  return code;
}

/** The one operation that is open to a person. @throws where there is none, or several */
async function operationId(session: Session, ref: OrderRef, { command }: { command?: string }): Promise<string> {
  if (command !== undefined) return operationIdOf({ ...ref, commandId: command });
  // A row of another list has an id of another kind.
  const isOperation = ref.kind === undefined || ref.kind === 'doubt' || ref.kind === 'open_to_operator';
  if (ref.id !== undefined && isOperation) return ref.id;
  const { attention } = await session.api.get<Order>(pathOfOrder(ref));
  const open = (attention as unknown as { id: string; kind: string; about: { commandId: string; operation: string } }[]).filter(
    ({ kind }) => kind === 'doubt' || kind === 'open_to_operator',
  );
  if (open.length === 0) throw new RefusedError(`${nameOf(ref)} has no operation that a person may decide: look at it with \`tranche show\``);
  if (open.length > 1)
    throw new UsageError([`several operations of ${nameOf(ref)} are open; give one:`, ...open.map(({ about }) => `  --command ${about.commandId} (${about.operation})`)]);
  return open[0]!.id;
} // prettier-ignore

/** The id of the one conflict: its facts are in the state, and a further report makes another conflict of it. */
async function conflictId(session: Session, ref: OrderRef, { conflict }: { conflict?: string }): Promise<string> {
  const order = await session.api.get<Order>(pathOfOrder(ref));
  const all = conflictsOf(stateOf(order)).filter(({ reason }) => reason !== 'transaction_assumed');
  const ids = all.map((one) => ({ ...one, id: operationIdOf({ ...ref, commandId: one.id }) }));
  const chosen = ids.filter(({ id, reason }) => conflict === undefined || conflict === reason || conflict === id);
  if (ids.length === 0) throw new RefusedError(`${nameOf(ref)} has no conflict: it was settled, or look at it with \`tranche show\``);
  if (chosen.length !== 1)
    throw new UsageError([`${conflict === undefined ? 'several conflicts' : `--conflict ${conflict} names ${chosen.length} conflicts`} of ${nameOf(ref)}; give one:`, ...ids.map(({ id, reason, operation }) => `  --conflict ${id} (${reason}${operation === undefined ? '' : ` of ${operation}`})`)]);
  return chosen[0]!.id;
} // prettier-ignore

async function openProposals(session: Session): Promise<Proposal[]> {
  const { proposals } = await session.api.get<Proposals>('/v1/proposals');
  return proposals.filter(({ state }) => state === 'open');
}

async function listProposals(session: Session, { output }: Options): Promise<number> {
  const proposals = await openProposals(session);
  const rows = proposals.map((one, at) => ({ ...one, row: at + 1 }));
  session.remember(proposals.map(({ id, merchant, orderId }) => ({ kind: 'proposal', id, merchant, orderId })));
  type Row = (typeof rows)[number];
  const columns = [
    { name: 'row', of: (one: Row) => one.row },
    { name: 'order', of: (one: Row) => `${one.merchant}/${one.orderId}` },
    { name: 'says', of: (one: Row) => statementText(one) },
    { name: 'by', of: (one: Row) => one.proposedBy },
    { name: 'proposed', of: (one: Row) => relative(one.proposedAt) },
    { name: 'id', of: (one: Row) => one.id },
  ];
  printRows(output, columns, rows, proposals);
  if (rows.length === 0) say('no proposal is open');
  return EXIT.done;
}

/** @param currency that of the order; a proposal names none */
const statementText = ({ resolution, settlement }: Statements, currency = ''): string =>
  Object.entries(resolution ?? settlement ?? {})
    .map(([name, value]) => {
      if (name === 'outcome') return String(value);
      return `${name} ${name === 'amount' ? money(Number(value), currency) : String(value)}`;
    })
    .join(', ');
type Statements = Partial<Pick<Proposal, 'resolution'>> & { settlement?: object };

async function decide(session: Session, verb: 'approve' | 'reject', text: string, options: Options): Promise<number> {
  session.assertPerson();
  const proposal = await proposalOf(session, text);
  const { id, merchant, orderId, proposedBy, proposedAt } = proposal;
  // Only words depend on it: a proposal is decided also where operations does not know its order yet.
  const order = await session.api.get<Order>(pathOfOrder({ merchant, orderId })).catch(() => undefined);
  const { currency } = (order?.amounts ?? {}) as { currency?: string };
  say(
    printableInLine(
      `${proposedBy} proposed ${relative(proposedAt)} for ${merchant}/${orderId}: ${statementText(proposal, currency)}`,
    ),
  );
  if (options.dryRun === true) {
    say('nothing was decided (--dry-run)');
    return EXIT.done;
  }
  await agree(`${verb} it`, `${merchant}/${orderId}`, session.isProduction && verb === 'approve', options);
  const answer = await session.api.send<Said>('POST', `/v1/proposals/${encodeURIComponent(id)}/${verb}`, {});
  if (verb === 'approve') return tell(answer, { merchant, orderId }, options);
  if (options.output !== 'table') printOne(options.output, [], answer.body);
  say('rejected: nothing changes');
  return EXIT.done;
}

async function proposalOf(session: Session, text: string): Promise<Proposal> {
  const row = session.row(text);
  const wanted = row?.kind === 'proposal' ? row.id : text;
  const proposals = await openProposals(session);
  const chosen = proposals.filter(({ id, merchant, orderId }) =>
    row !== undefined && row.kind !== 'proposal' ? row.merchant === merchant && row.orderId === orderId : id === wanted || `${merchant}/${orderId}` === wanted,
  );
  if (chosen.length === 1) return chosen[0]!;
  if (chosen.length === 0) throw new RefusedError(`no open proposal is ${text}: it was decided, or has expired; \`tranche approve\` lists those that are open`);
  throw new UsageError([`several proposals are open for ${text}; give one:`, ...chosen.map((one) => `  ${one.id} (${statementText(one)})`)]);
} // prettier-ignore
