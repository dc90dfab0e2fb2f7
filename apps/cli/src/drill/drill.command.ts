import { InvalidArgumentError, type Command } from 'commander';
import { parseOrderKey } from '@tranche/contracts';
import type { Orders } from '../api/operations.js';
import { EXIT, RefusedError } from '../exit.js';
import { money, outputOption, printOne, printRows, say, type Column, type Format } from '../output/output.js';
import { printableInLine } from '../printable.js';
import type { Exit } from '../program.js';
import { Session } from '../session/session.js';
import { askSimulator } from '../sim/simulator.js';
import { judge, type Judgement } from './judgement.js';
import { SITUATIONS, type Situation } from './situations.js';
import { CURRENCY, ledgerOf, MERCHANT, Stage, type Executed } from './stage.js';

const NAME = `number or name: ${SITUATIONS.map(({ name }) => name).join(', ')}`;

interface Output {
  output: Format;
}

/** `tranche drill`: ten situations on the simulator, and what its ledger says of how they were handled. */
export function addDrillCommand(program: Command, exit: Exit): void {
  const drill = program.command('drill').description('ten bad situations to practise, on the simulator');
  outputOption(drill.command('list', { isDefault: true }).description('lists them; so does `tranche drill` alone')).action(({ output }: Output) => {
    printRows(output, LIST_COLUMNS, SITUATIONS.map(({ name, title }, at) => ({ number: at + 1, name, title })));
    exit(EXIT.done);
  });

  outputOption(drill.command('start').description('lets one happen, any of them without a name, and tells what a person would notice').argument('[situation]', NAME, situationOf))
    .action(async (given: Situation | undefined, { output }: Output) => {
      const situation = given ?? SITUATIONS[Math.floor(Math.random() * SITUATIONS.length)]!;
      await on(await simulator(), orderIdFor(situation), async (stage) => {
        await situation.produce(stage);
        const order = `${MERCHANT}/${stage.orderId}`;
        const alert = situation.tell(order);
        if (output === 'table') console.log(alert);
        else printOne(output, [['alert', alert]], { order, alert });
      });
      say('what do you do? When you are done: `tranche drill check`');
      exit(EXIT.done);
    });

  outputOption(drill.command('check').description('judges the last one that was started: what was done, what it cost, what the right way was; exit code 6 where it is not solved').argument('[situation]', NAME, situationOf))
    .action(async (given: Situation | undefined, { output }: Output) => {
      const session = await simulator();
      const { orderId, situation, startedAt } = await lastStarted(session, given);
      await on(session, orderId, async (stage) => {
        const judgement = await judge(situation, stage, startedAt);
        printOne(output, fieldsOf(judgement), judgement);
        exit(judgement.verdict === 'solved' ? EXIT.done : EXIT.partly);
      });
    });

  outputOption(drill.command('back-office').description("shows what the platform's back office has of an order: here it is the simulator's ledger").argument('<order>', 'merchant/order, or its number'))
    .action(async (text: string, { output }: Output) => {
      await simulator();
      const { operations } = await ledgerOf(parseOrderKey(text)?.orderId ?? text);
      printRows(output, LEDGER_COLUMNS, operations);
      if (operations.length === 0) say('the platform has nothing of it');
      exit(EXIT.done);
    });
} // prettier-ignore

/** The number of an order has the time of the start and, as a letter, the situation: anybody can judge a drill, from any terminal. */
const PREFIX = 'drill-';
const LETTERS = 'qxkvmzpwjh';
const orderIdFor = (situation: Situation): string => `${PREFIX}${Date.now().toString(36)}-${LETTERS[SITUATIONS.indexOf(situation)]}`; // prettier-ignore

function situationOf(text: string): Situation {
  const found = SITUATIONS.find(({ name }, at) => name === text || String(at + 1) === text);
  if (found === undefined) throw new InvalidArgumentError(`It must be a number from 1 to ${SITUATIONS.length}, or a name of \`tranche drill\`.`); // prettier-ignore
  return found;
}

/** @throws RefusedError in production, and where no simulator answers at SIMULATOR_URL */
async function simulator(): Promise<Session> {
  const { text } = await askSimulator('GET', 'clock');
  if (!text.includes('offsetSeconds')) throw new RefusedError('what answers at SIMULATOR_URL is not the simulator: drills are for the simulator alone'); // prettier-ignore
  return Session.open();
}

async function on(session: Session, orderId: string, play: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = new Stage(session, orderId);
  try {
    await play(stage);
  } finally {
    await stage.close();
  }
}

async function lastStarted(session: Session, wanted: Situation | undefined) {
  const { orders } = await session.api.get<Orders>('/v1/orders', { q: PREFIX, merchant: MERCHANT, limit: 500 });
  const started = orders.flatMap(({ orderId }) => {
    const [, time, letter] = /^drill-([a-z0-9]+)-([a-z])/.exec(orderId) ?? [];
    const situation = SITUATIONS[LETTERS.indexOf(letter ?? ' ')];
    const isMeant = time !== undefined && situation !== undefined && (wanted ?? situation) === situation;
    return isMeant ? { situation, orderId: `${PREFIX}${time}-${letter}`, startedAt: new Date(parseInt(time, 36)).toISOString() } : []; // prettier-ignore
  });
  const last = started.sort((one, other) => (one.startedAt < other.startedAt ? -1 : 1)).at(-1);
  if (last === undefined) throw new RefusedError('it was not started: `tranche drill start`');
  return last;
}

const VERDICTS = {
  solved: 'solved',
  needless: 'it ended well, and what was done was needless',
  wrong: 'wrong: the orders here and the platform differ',
};

const sumsText = (sums: object): string =>
  Object.entries(sums).flatMap(([name, amount]) => (amount === 0 ? [] : `${name} ${money(amount as number, CURRENCY)}`)).join(', ') || 'no money'; // prettier-ignore

function fieldsOf(judgement: Judgement): [string, string | undefined][] {
  const { order, done, minutes } = judgement;
  const deeds = done.map(({ at, by, what }) => printableInLine(`${at} ${by} ${what}`)).join('; ');
  const about: [string, string][] = [['order', order], ['done', deeds || 'nothing'], ['minutes', String(minutes)]]; // prettier-ignore
  if (judgement.verdict === 'open') return [['verdict', `not over: ${judgement.open}`], ...about];
  const { verdict, situation, platform, books, cost, right } = judgement;
  return [
    ...([['verdict', VERDICTS[verdict]], ['it was', situation], ...about] as [string, string][]),
    ['platform', sumsText(platform)],
    ['orders here', sumsText(books)],
    ['cost', `${money(cost.maybeTwice, CURRENCY)} may be moved twice, ${money(cost.leftUndone, CURRENCY)} left undone`],
    ['right way', right],
  ];
}

const LIST_COLUMNS: Column<{ number: number; name: string; title: string }>[] = [
  { name: 'number', of: ({ number }) => number },
  { name: 'name', of: ({ name }) => name },
  { name: 'what happened', of: ({ title }) => title },
];

const LEDGER_COLUMNS: Column<Executed>[] = [
  { name: 'time', of: ({ time }) => time },
  { name: 'operation', of: ({ operationType }) => operationType },
  { name: 'amount', of: ({ amount }) => money(amount, CURRENCY) },
  { name: 'transaction', of: ({ transactionId }) => transactionId },
  { name: 'execcode', of: ({ finalExecCode }) => finalExecCode },
  { name: 'by', of: ({ origin }) => (origin === 'request' ? 'the API' : 'hand') },
];
