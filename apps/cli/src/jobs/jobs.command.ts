import type { Command } from 'commander';
import type { Job, JobItem, JobRequest, Jobs } from '../api/operations.js';
import { readInput } from '../commands/given-commands.js';
import { EXIT, UsageError } from '../exit.js';
import { outputOption, printOne, printRows, relative, say, type Column, type Format } from '../output/output.js';
import { jobReasonOption, merchantName } from '../output/parse.js';
import { printableInLine } from '../printable.js';
import { checked, type Exit } from '../program.js';
import { agree, type Asked } from '../session/ask.js';
import { Session } from '../session/session.js';
import { countsText, exitCodeOfJob, itemsOf, pathOfJob, waitFor } from './job.js';

interface Options extends Asked {
  output: Format;
  reason: string;
  merchant?: string;
  dryRun?: boolean;
  wait?: boolean;
  verdict?: string;
}

const JOB = 'id of the job, or the number of a row of the last list';
const FILE = "the platform's export as CSV; - reads standard input";

/** `tranche jobs` and `reconcile`: bulk work, each with a plan that is frozen before it runs. */
export function addJobsCommands(program: Command, exit: Exit): void {
  const jobs = program
    .command('jobs')
    .description('bulk work: a plan with a verdict for each item, frozen before it is started');

  outputOption(jobs.command('list').description('lists the jobs, the newest first')).action(async ({ output }: Options) => {
    const session = Session.open();
    const { jobs: found } = await session.api.get<Jobs>('/v1/jobs');
    session.remember(found.map(({ id }) => ({ kind: 'job', id })));
    printRows(output, LIST_COLUMNS, found.map((job, at) => ({ ...job, row: at + 1 })), found);
    exit(EXIT.done);
  }); // prettier-ignore

  outputOption(jobs.command('show').description('shows a job').argument('<job>', JOB))
    .option('--wait', 'waits until it runs no more')
    .action(async (text: string, { output, wait }: Options) => {
      const session = Session.open();
      const id = idOf(session, text);
      const job = wait === true ? await waitFor(session, id) : await session.api.get<Job>(pathOfJob(id));
      printJob(output, job);
      exit(wait === true ? exitCodeOfJob(job) : EXIT.done);
    });

  outputOption(jobs.command('items').description('lists the items of a job, each with its verdict and what became of it').argument('<job>', JOB))
    .option('--verdict <verdict>', 'with this verdict')
    .action(async (text: string, { output, verdict }: Options) => {
      const session = Session.open();
      await printItems(session, idOf(session, text), output, verdict);
      exit(EXIT.done);
    }); // prettier-ignore

  checked(planned(jobs.command('replay')), (command) =>
    command.args.length === 0 && command.getOptionValue('merchant') === undefined
      ? ['give dead letters, or --merchant']
      : [],
  )
    .description(
      'plans to publish dead letters again: those that are named, or all of the merchant; starts it once you agree',
    )
    .argument('[dead letters...]', 'ids, or rows of the last list of `tranche dead-letters`')
    .option('--merchant <name>', 'all of this merchant', merchantName)
    .action(async (texts: string[], options: Options) => {
      const session = Session.open();
      const ids = texts.length === 0 ? {} : { ids: texts.map((text) => idOf(session, text, 'dead letter')) };
      exit(await planAndStart(session, { kind: 'replay', ...ids, ...ofMerchant(options) }, options));
    });
  planned(jobs.command('resolve-by-file'))
    .description("plans to propose for each doubt what the platform's export says of it; a second person approves the batch with `tranche jobs approve`")
    .argument('<file>', FILE)
    .requiredOption('--merchant <name>', 'of this merchant', merchantName)
    .action(async (file: string, options: Options) =>
      exit(await planAndStart(Session.open(), { kind: 'resolve-by-file', csv: readInput(file), ...ofMerchant(options) }, options)),
    ); // prettier-ignore
  for (const [parent, description] of [[program, "compares the platform's export with the journal; exit code 6 where something differs"], [jobs, 'the same as `tranche reconcile`']] as const)
    planned(parent.command('reconcile'))
      .description(description)
      .argument('<file>', FILE)
      .requiredOption('--merchant <name>', 'of this merchant', merchantName)
      .action(async (file: string, options: Options) => exit(await reconcile(readInput(file), options))); // prettier-ignore

  for (const [verb, description] of [
    ['start', 'starts a planned job, or an interrupted one after its last item'],
    ['approve', 'approves what the job of another person proposed: each item bound to the state that the proposer saw'],
    ['cancel', 'ends a job; items that are done stay so'],
  ] as const)
    agreed(outputOption(jobs.command(verb).description(description).argument('<job>', JOB))).action(async (text: string, options: Options) => {
      const session = Session.open();
      exit(await act(session, verb, idOf(session, text), options));
    }); // prettier-ignore
}

/** The plan of a large export takes its time. */
const PLAN_WITHIN_MS = 300_000;

const agreed = (command: Command): Command =>
  command
    .option('--yes', 'does not ask')
    .option('--confirm <job>', 'for programs, in production: the id of the job once more')
    .option('--wait', 'waits until it runs no more');

const planned = (command: Command): Command =>
  jobReasonOption(agreed(outputOption(command))).option('--dry-run', 'makes the plan, and starts nothing');

const ofMerchant = ({ merchant }: Options) => (merchant === undefined ? {} : { merchant });

/** An id, or a row of the last list, which must be one of these. */
function idOf(session: Session, text: string, kind = 'job'): string {
  const row = session.row(text);
  if (row === undefined) return text;
  if (row.kind !== kind || row.id === undefined) throw new UsageError(`${text}: that row is no ${kind}`);
  return row.id;
}

type Plan = Omit<JobRequest, 'reason'>;

const made = async (session: Session, plan: Plan, { reason }: Options): Promise<Job> =>
  (await session.api.send<Job>('POST', '/v1/jobs', { ...plan, reason }, {}, PLAN_WITHIN_MS)).body;

async function planAndStart(session: Session, plan: Plan, options: Options): Promise<number> {
  session.assertPerson();
  const job = await made(session, plan, options);
  session.remember([{ kind: 'job', id: job.id }]);
  say(`job ${job.id}, ${job.total} items: ${countsText(job)}`);
  if (options.dryRun === true) {
    await printItems(session, job.id, options.output);
    say(`nothing was started (--dry-run): \`tranche jobs start ${job.id}\``);
    return EXIT.done;
  }
  if (options.output === 'table') await printItems(session, job.id, 'table');
  return act(session, 'start', job.id, options);
}

async function act(
  session: Session,
  verb: 'start' | 'approve' | 'cancel',
  id: string,
  options: Options,
): Promise<number> {
  session.assertPerson();
  await agree(`${verb} job ${printableInLine(id)}`, id, session.isProduction && verb !== 'cancel', options);
  const { body } = await session.api.send<Job>('POST', `${pathOfJob(id)}/${verb}`, {});
  const job = options.wait === true ? await waitFor(session, id) : body;
  printJob(options.output, job);
  if (job.status === 'running') say(`it runs: \`tranche jobs show ${id} --wait\``);
  const mustBeApproved = verb === 'start' && job.status === 'done' && (job.counts.propose ?? 0) > 0;
  if (mustBeApproved) say(`another person approves it with \`tranche jobs approve ${id}\``);
  if (verb === 'cancel' || job.status === 'running') return EXIT.done;
  return mustBeApproved && exitCodeOfJob(job) === EXIT.done ? EXIT.awaitsApproval : exitCodeOfJob(job);
}

/** The plan of a reconciliation is its result. */
async function reconcile(csv: string, options: Options): Promise<number> {
  const session = Session.open();
  const job = await made(session, { kind: 'reconcile', csv, ...ofMerchant(options) }, options);
  await printItems(session, job.id, options.output);
  say(`job ${job.id}: ${countsText(job)}`);
  return exitCodeOfJob(job);
}

async function printItems(session: Session, id: string, output: Format, verdict?: string): Promise<void> {
  const items: JobItem[] = [];
  for await (const item of itemsOf(session, id, verdict)) items.push(item);
  printRows(output, ITEM_COLUMNS, items);
}

function printJob(output: Format, job: Job): void {
  const { id, kind, status, by, reason, createdAt, done, failed, total } = job;
  printOne(output, [
    ['job', id],
    ['kind', kind],
    ['status', status],
    ['plan', countsText(job)],
    ['done', `${done} of ${total}${failed > 0 ? `, ${failed} failed` : ''}`],
    ['by', `${by}, ${createdAt}`],
    ['reason', reason],
  ], job);
} // prettier-ignore

const LIST_COLUMNS: Column<Job & { row: number }>[] = [
  { name: 'row', of: ({ row }) => row },
  { name: 'kind', of: ({ kind }) => kind },
  { name: 'status', of: ({ status }) => status },
  { name: 'done', of: ({ done, total }) => `${done} of ${total}` },
  { name: 'failed', of: ({ failed }) => failed },
  { name: 'plan', of: countsText },
  { name: 'by', of: ({ by }) => by },
  { name: 'made', of: ({ createdAt }) => relative(createdAt) },
  { name: 'id', of: ({ id }) => id },
];

const ITEM_COLUMNS: Column<JobItem>[] = [
  { name: 'number', of: ({ number }) => number },
  { name: 'key', of: ({ key }) => key },
  { name: 'verdict', of: ({ verdict }) => verdict },
  { name: 'why', of: ({ why }) => why },
  { name: 'result', of: ({ result }) => result },
  { name: 'result why', of: ({ resultWhy }) => resultWhy },
];
