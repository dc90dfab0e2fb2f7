import type { Command } from 'commander';
import { setTimeout as delay } from 'node:timers/promises';
import type { Calls, Control, Controls, Rail, Rails } from '../api/operations.js';
import { EXIT } from '../exit.js';
import { outputOption, printRows, relative, say, type Format } from '../output/output.js';
import { reasonOption, scopeName, timeAhead } from '../output/parse.js';
import { Progress } from '../output/progress.js';
import type { Exit } from '../program.js';
import { agree, type Asked } from '../session/ask.js';
import { Session } from '../session/session.js';

interface Options extends Asked {
  reason: string;
  for?: string;
  dryRun?: boolean;
}

const ACKNOWLEDGED_WITHIN_MS = 60_000;
const ASK_AGAIN_MS = 500;
const SCOPE = 'rail:NAME, such as rail:partner-b, or merchant:NAME';

/** `tranche controls`, `pause` and `resume`: the stop switch of a rail or merchant, which stops intake only. */
export function addControlsCommands(program: Command, exit: Exit): void {
  const controls = program.command('controls').description('lists what is paused by people, and the rails');
  outputOption(controls).action(async ({ output }: { output: Format }) => {
    const session = Session.open();
    const [{ controls: paused }, { rails }, { rails: calls }] = await Promise.all([
      session.api.get<Controls>('/v1/controls'),
      session.api.get<Rails>('/v1/rails'),
      session.api.get<Calls>('/v1/calls'),
    ]);
    const rows = [...paused.map(pausedRow), ...rails.map((rail) => railRow(rail, calls))];
    type Row = ReturnType<typeof pausedRow>;
    const columns = (['scope', 'state', 'since', 'until', 'last hour', 'why', 'next'] as const).map((name) => ({ name, of: (row: Row) => row[name] }));
    printRows(output, columns, rows, { controls: paused, rails, calls });
    exit(EXIT.done);
  }); // prettier-ignore

  changed(program.command('pause'))
    .description('stops the intake of commands of a rail or merchant; calls under way end as they do. Until `tranche resume`')
    .option('--for <time>', 'ends by itself: 30m, 24h, or an RFC 3339 time', timeAhead)
    .action(async (scope: string, options: Options) => {
      const body = { reason: options.reason, ...(options.for !== undefined && { expiresAt: options.for }) };
      exit(await change('PUT', scope, body, options));
    });
  changed(program.command('resume'))
    .description('lets the commands of a paused rail or merchant go on')
    .action(async (scope: string, options: Options) => exit(await change('DELETE', scope, { reason: options.reason }, options)));
} // prettier-ignore

const changed = (command: Command): Command =>
  reasonOption(command.argument('<scope>', SCOPE, scopeName), 'why', 'kept in the audit')
    .option('--dry-run', 'shows it, and does nothing')
    .option('--yes', 'does not ask')
    .option('--confirm <scope>', 'for programs, in production: the scope once more');

async function change(method: 'PUT' | 'DELETE', scope: string, body: object, options: Options): Promise<number> {
  const session = Session.open();
  session.assertPerson();
  const what = method === 'PUT' ? `new commands of ${scope} will wait; nothing under way is stopped` : `${scope} goes on, and what waited is taken`;
  say(what);
  if (options.dryRun === true) {
    say('nothing was changed (--dry-run)');
    return EXIT.done;
  }
  await agree(method === 'PUT' ? 'pause it' : 'resume it', scope, session.isProduction, options);
  await session.api.send(method, `/v1/controls/${encodeURIComponent(scope)}`, body);
  if (method === 'DELETE') {
    say('resumed');
    return EXIT.done;
  }
  return (await isAcknowledged(session, scope)) ? EXIT.done : EXIT.partly;
} // prettier-ignore

/** Waits until every instance has taken it: until then one may still take commands. */
async function isAcknowledged(session: Session, scope: string): Promise<boolean> {
  const progress = new Progress();
  const endsAtMs = performance.now() + ACKNOWLEDGED_WITHIN_MS;
  for (;;) {
    const { controls } = await session.api.get<Controls>('/v1/controls');
    const control = controls.find((one) => one.scope === scope);
    const { acknowledged = 0, of = 0 } = control?.instances ?? {};
    if (control?.acknowledged === true || performance.now() > endsAtMs) {
      progress.end();
      say(control?.acknowledged === true ? `paused in all ${of} instances` : `paused in ${acknowledged} of ${of} instances: the others may still take commands; look with \`tranche controls\``);
      return control?.acknowledged === true;
    }
    progress.say(`paused in ${acknowledged} of ${of} instances`);
    await delay(ASK_AGAIN_MS);
  }
} // prettier-ignore

const pausedRow = ({ scope, reason, by, since, expiresAt, acknowledged, instances }: Control) => ({
  scope,
  state: acknowledged ? 'paused' : `pausing, ${instances.acknowledged} of ${instances.of} instances`,
  since: relative(since),
  until: relative(expiresAt),
  'last hour': '',
  why: `${by}: ${reason}`,
  next: `tranche resume ${scope} --reason 'why it may go on, with the ticket'`,
});

const railRow = (
  { rail, state, says, since, nextTryAt, waiting }: Rail,
  calls: Calls['rails'],
): ReturnType<typeof pausedRow> => ({
  scope: `rail:${rail}`,
  state: waiting === undefined || waiting.commands === 0 ? state : `${state}, ${waiting.commands} commands wait`,
  since: relative(since),
  until: relative(nextTryAt),
  'last hour': (calls.find((one) => one.rail === rail)?.results ?? [])
    .map(({ result, total }) => `${total} ${result}`)
    .join(', '),
  why: says ?? '',
  next: state === 'stopped' ? 'leave it: the first answer of the platform starts it again' : '',
});
