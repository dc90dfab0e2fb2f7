import type { Command } from 'commander';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attention } from '../api/operations.js';
import { EXIT } from '../exit.js';
import { money, outputOption, printRows, relative, say, type Column, type Format } from '../output/output.js';
import { merchantName, oneOf, whole } from '../output/parse.js';
import { timerInWords } from '../output/words.js';
import { orderWord } from '../orders/next-lines.js';
import { printableInLine, shellWord } from '../printable.js';
import type { Exit } from '../program.js';
import { Session } from '../session/session.js';
import { follow, untilInterrupted } from '../session/stream.js';

type Item = Attention['items'][number];

export const KINDS = [
  ...(['doubt', 'conflict', 'candidates', 'open_to_operator', 'frozen'] as const),
  ...(['proposal', 'rail', 'control', 'partition', 'dead_letters', 'quarantine'] as const),
];
const CLEAR = '\u001b[2J\u001b[H';
/** Without a change the times that are shown grow old. */
const SHOW_AGAIN_MS = 30_000;
const CALM_MS = 1_000;

interface Options {
  kind?: string;
  merchant?: string;
  minAmount?: number;
  sort?: string;
  limit: number;
  watch?: boolean;
  output: Format;
}

/** `tranche attention`: one queue of all that needs a person. */
export function addAttentionCommand(program: Command, exit: Exit): void {
  const attention = program
    .command('attention')
    .description('lists what needs a person, what happens to it by itself, and by when one must act')
    .option('--kind <kind>', `one of ${KINDS.join(', ')}`, oneOf(KINDS))
    .option('--merchant <name>', 'of this merchant', merchantName)
    .option('--min-amount <minor units>', 'from this amount on', whole(0, Number.MAX_SAFE_INTEGER))
    .option('--sort <order>', 'urgency, age or amount', oneOf(['urgency', 'age', 'amount']))
    .option('--limit <number>', 'at most so many', whole(1, 500), 50)
    .option('--watch', 'shows it again whenever something changed, until Ctrl-C');
  outputOption(attention).action(async ({ watch, output, ...query }: Options) => {
    const session = Session.open();
    const show = async () => printAttention(output, await session.api.get<Attention>('/v1/attention', { ...query }), session);
    exit(await show());
    if (watch === true) await watchIt(session, show, output);
  }); // prettier-ignore
}

function printAttention(output: Format, page: Attention, session: Session): number {
  const { items, counts, behind, missing = [], beingBuilt = [], next } = page;
  session.remember(items.map(({ kind, id, merchant, orderId }) => ({ kind, ...(id && { id }), ...(merchant && { merchant }), ...(orderId && { orderId }) }))); // prettier-ignore
  printRows(output, COLUMNS, items.map((item, at) => ({ ...item, row: at + 1 })), page); // prettier-ignore
  say(counts.length === 0 ? 'nothing needs a person' : countsText(counts));
  if (next !== undefined) say('there is more: --limit, --kind and --merchant narrow it');
  if (behind > 0) say(`operations lacks ${behind} records of Kafka: this may be old`);
  if (missing.length > 0) say(`not in this list, because the gateway did not answer: ${missing.join(', ')}`);
  if (beingBuilt.length > 0) say(beingBuiltText(beingBuilt));
  return missing.length > 0 ? EXIT.partly : EXIT.done;
}

/** The rows are whole, because operations has them from the journal; the gateway refuses decisions until its index is built. */
const beingBuiltText = (partitions: readonly number[]): string =>
  `the gateway builds its index of ${partitions.length === 1 ? 'partition' : 'partitions'} ${partitions.join(', ')} anew: ` +
  'nothing can be decided about their orders until it is done; this list is whole';

const countsText = (counts: Attention['counts']): string =>
  counts
    .map(({ kind, number, oldest, amounts = {} }) => {
      const sums = Object.entries(amounts).map(([currency, amount]) => money(amount, currency));
      return [`${number} ${kind}`, ...sums, ...(oldest === undefined ? [] : [`oldest ${relative(oldest)}`])].join(', ');
    })
    .join('; ');

const COLUMNS: Column<Item & { row: number }>[] = [
  { name: 'row', of: ({ row }) => row },
  { name: 'kind', of: ({ kind }) => kind },
  { name: 'order', of: ({ merchant, orderId }) => merchant && (orderId === undefined ? merchant : `${merchant}/${orderId}`) },
  { name: 'amount', of: ({ amount, currency }) => money(amount, currency) },
  { name: 'since', of: ({ since }) => relative(since) },
  { name: 'act by', of: ({ actBy }) => relative(actBy) },
  { name: 'by itself', of: ({ about }) => byItself(about) },
  { name: 'what', of: (item) => whatOf(item) },
  { name: 'next', of: (item) => nextOf(item) },
]; // prettier-ignore

/** Time alone does this to it; the soonest. */
function byItself(about: Record<string, unknown>): string | undefined {
  const timers = (about.byItself ?? []) as { what: string; at: string }[];
  return timers.map(({ what, at }) => `${timerInWords(what)} ${relative(at)}`).at(0);
}

function whatOf({ about, number }: Pick<Item, 'about' | 'number'>): string {
  const { operation, reason, reasons, phase, says, cause, rail, scope, topic, partition, proposedBy, code } = about;
  const parts = [
    rail ?? scope,
    typeof topic === 'string' ? `${topic} ${partition as number}` : undefined,
    code,
    reason ?? reasons,
    phase,
    says ?? cause,
  ];
  const operationName = typeof operation === 'string' && operation.length <= 16 ? operation : undefined;
  const proposed = typeof proposedBy === 'string' ? `proposed by ${proposedBy}` : undefined;
  const texts = [operationName, ...parts, proposed, number === undefined ? undefined : `${number} records`];
  return printableInLine(texts.filter((one) => one !== undefined).map((one) => (Array.isArray(one) ? one.join(' ') : String(one as string))).join(', ')); // prettier-ignore
}

/** The command that goes on with an item, as it can be typed. What decides an order stands at `tranche show`, for each outcome. */
export function nextOf({ kind, id, merchant, orderId, about }: Item): string {
  const ofMerchant = merchant === undefined ? '' : ` --merchant ${merchant}`;
  const { reason } = about as { reason?: string };
  const ofKind = reason === undefined ? '' : ` --kind ${shellWord(reason)}`;
  if (kind === 'dead_letters') return `tranche dead-letters${ofMerchant}${ofKind}`;
  if (kind === 'quarantine') return `tranche quarantine list${ofMerchant}${ofKind}`;
  if (kind === 'partition') return 'tranche doctor';
  if (kind === 'proposal') return `tranche approve ${id}`;
  if (merchant === undefined || orderId === undefined) return 'tranche controls';
  return `tranche ${kind === 'frozen' ? 'timeline' : 'show'} ${orderWord({ merchant, orderId })}`;
}

/** Shows it again at each change of an order, and now and then without one. */
async function watchIt(session: Session, show: () => Promise<number>, output: Format): Promise<void> {
  const signal = untilInterrupted();
  let isChanged = false;
  const listen = async () => {
    for await (const { type } of follow(session.api, signal)) if (type === 'order') isChanged = true;
  };
  const refresh = async () => {
    let shownAtMs = performance.now();
    while (!signal.aborted) {
      await delay(CALM_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted || (!isChanged && performance.now() - shownAtMs < SHOW_AGAIN_MS)) continue;
      isChanged = false;
      shownAtMs = performance.now();
      if (process.stdout.isTTY && output === 'table') process.stdout.write(CLEAR);
      await show().catch((error: unknown) => say((error as Error).message));
    }
  };
  await Promise.all([listen(), refresh()]);
}
