import type { Command } from 'commander';
import { decodeCloudEvent, TOPICS } from '@tranche/contracts';
import type { Replay } from '../api/operations.js';
import { givenCommands, readInput } from '../commands/given-commands.js';
import { EXIT, RefusedError, UsageError } from '../exit.js';
import { outputOption, printOne, say, type Format } from '../output/output.js';
import { DEAD_LETTER, deadLetterText, reasonOption } from '../output/parse.js';
import { printableInLine, shellWord } from '../printable.js';
import type { Exit } from '../program.js';
import { agree, type Asked } from '../session/ask.js';
import { Session } from '../session/session.js';

interface Options extends Asked {
  output: Format;
  command: string;
  reason: string;
  evenIfOld?: true;
  dryRun?: true;
}

const EXAMPLE = `
Example: the dead letter of row 2, with an amount put right
  tranche dead-letters --merchant shop-fr
  tranche replay 2 --command mended.json --reason 'amount was a text, ticket 832' --dry-run
mended.json: {"specversion":"1.0","id":"…","source":"/shop","type":"payment.capture","time":"…","data":{"merchant":"shop-fr","orderId":"order-1001","amount":25000}}`;

/** `tranche replay`: one dead letter with a mended command. Jobs replay dead letters as they are. */
export function addReplayCommand(program: Command, exit: Exit): void {
  reasonOption(outputOption(program.command('replay')), 'why', 'kept in the audit')
    .description('publishes a mended command in place of a dead letter, where its order allows it; `tranche jobs replay` publishes dead letters as they are')
    .argument('<dead letter>', DEAD_LETTER, deadLetterText)
    .requiredOption('--command <file>', 'the mended command as a CloudEvent in JSON; - reads standard input')
    .option('--even-if-old', 'also where the verdict is too-old')
    .option('--dry-run', 'tells the verdict, and publishes nothing')
    .option('--yes', 'does not ask')
    .option('--confirm <order>', 'for programs, in production: merchant/order once more')
    .addHelpText('after', EXAMPLE)
    .action(async (text: string, options: Options) => exit(await replay(Session.open(), text, options)));
} // prettier-ignore

async function replay(session: Session, text: string, options: Options): Promise<number> {
  session.assertPerson();
  const { reason, evenIfOld, output } = options;
  const faults: string[] = [];
  const place = placeOf(session, text, faults);
  const command = mendedIn(options.command, faults);
  if (faults.length > 0) throw new UsageError(faults);
  const asked = { topic: TOPICS.commandsDeadLetter.name, ...place, command, reason, ...(evenIfOld && { evenIfOld }) };
  const { body: judged } = await session.api.send<Replay>('POST', '/v1/replays', asked, { dryRun: 'true' });
  const { verdict, why, merchant, orderId } = judged;
  const order = printableInLine(`${merchant}/${orderId}`);
  const isAllowed = verdict === 'attempt' || verdict === 'repeat' || (verdict === 'too-old' && evenIfOld === true);
  say(printableInLine(`${order}: ${verdict}. ${why}`));
  if (options.dryRun === true) {
    if (output !== 'table') printOne(output, [], judged);
    say('nothing was published (--dry-run)');
    return isAllowed ? EXIT.done : EXIT.refused;
  }
  if (!isAllowed)
    throw new RefusedError(
      `nothing was published: ${verdict}${verdict === 'too-old' ? `\n  next, if its shop still wants it: tranche replay ${place.partition}-${place.offset} --command ${shellWord(options.command)} --reason ${shellWord(reason)} --even-if-old` : ''}`,
    );
  await agree(`publish it for ${order}`, `${merchant}/${orderId}`, session.isProduction, options);
  const { body: done } = await session.api.send<Replay>('POST', '/v1/replays', asked);
  if (output !== 'table') printOne(output, [], done);
  say(`published: look with \`tranche show ${shellWord(`${merchant}/${orderId}`)}\``);
  return EXIT.done;
}

function placeOf(session: Session, text: string, faults: string[]): { partition?: number; offset?: string } {
  const row = session.row(text);
  const [, partition, offset] = /^(\d{1,6})-(\d{1,19})$/.exec(row?.id ?? text) ?? [];
  const isNone = row !== undefined && row.kind !== 'dead letter';
  if (isNone || partition === undefined || offset === undefined) {
    faults.push(`${text} is no dead letter: give an id, as 3-42, or the number of a row of \`tranche dead-letters\``);
    return {};
  }
  return { partition: Number(partition), offset };
}

/** Takes what `tranche commands check` takes. Whether it is a command the gateway says, with all its faults. */
function mendedIn(file: string, faults: string[]): unknown {
  const [given, ...more] = givenCommands(readInput(file));
  if (more.length > 0) faults.push(`--command: ${file} has ${more.length + 1} commands: give one`);
  else if (given === undefined || 'fault' in given) faults.push(`--command: ${file}: ${given?.at} ${given?.fault}`);
  else {
    const { headers, value } = given.record;
    const isWhole = headers['content-type'] === 'application/cloudevents+json';
    return isWhole ? JSON.parse(String(value)) : { specversion: headers.ce_specversion, ...decodeCloudEvent(given.record).event };
  }
  return undefined;
} // prettier-ignore
