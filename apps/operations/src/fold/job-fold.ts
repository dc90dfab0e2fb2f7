/** Folds the records of jobs: the state of a job is what they make of it, in the order of the one partition. */
import type { ItemResult, JobItem, JobKind, JobRecord } from '@tranche/contracts';
import { compact } from '@tranche/runtime';

export interface JobState {
  id: string;
  kind: JobKind;
  status: 'planned' | 'running' | 'interrupted' | 'cancelled' | 'done';
  reason: string;
  merchants: string[];
  by: string;
  createdAt: string;
  counts: Record<string, number>;
  total: number;
  done: number;
  failed: number;
  startedBy?: string;
  approvedBy?: string;
  /** Why it was interrupted. */
  why?: string;
  pass?: 'run' | 'approval';
  run?: string;
  /** The item that was begun last, and if it is still under way. */
  last: number;
  underWay?: true;
  /** The latest sign of life of its run, milliseconds since the epoch by the writer's clock. */
  aliveAtMs: number;
}

/** Changes of an item by a record; a field that is absent stays as it was. */
export type ItemChange = Partial<JobItem> & { job: string; number: number } & {
  result?: ItemResult;
  resultWhy?: string;
  proposal?: string;
};

const FAILURES: readonly (ItemResult | undefined)[] = ['failed', 'unknown'];

/** Records of a run that is not the job's any more change nothing: two processes never do the same item. */
export function foldJob(
  job: JobState | undefined,
  record: JobRecord,
): { job: JobState | undefined; items: ItemChange[] } {
  const unchanged = { job, items: [] };
  const { record: step, job: id, at, run, number = 0 } = record;
  if (step === 'items') return { job, items: (record.items ?? []).map((item) => ({ ...item, job: id })) };
  if (step === 'planned') return job ? unchanged : { job: planned(record), items: [] };
  if (job === undefined) return unchanged;
  if (step === 'started') return job.run === record.follows ? started(job, record) : unchanged;
  if (step === 'ended' && record.status === 'cancelled')
    return isOver(job) ? unchanged : { job: { ...job, status: 'cancelled' }, items: [] };
  if (run !== job.run) return unchanged;
  const alive = { ...job, aliveAtMs: Date.parse(at) };
  if (step === 'alive') return { job: alive, items: [] };
  const { underWay, ...idle } = alive;
  if (step === 'begun') {
    const isNext = job.status === 'running' && underWay === undefined && number > job.last;
    return isNext ? { job: { ...alive, last: number, underWay: true }, items: [] } : unchanged;
  }
  if (step === 'ended') {
    if (job.status !== 'running') return unchanged;
    return { job: compact({ ...alive, status: record.status!, why: record.why }), items: [] };
  }
  if (underWay === undefined || number !== job.last) return unchanged;
  if (step === 'released') return { job: { ...idle, last: number - 1 }, items: [] };
  return resulted(idle, compact({ job: id, number, result: record.result, resultWhy: record.why, proposal: record.proposal })); // prettier-ignore
}

const isOver = ({ status }: JobState): boolean => status === 'cancelled' || status === 'done';

function planned({ job: id, kind, at, by, reason, merchants, counts = [], total = 0 }: JobRecord): JobState {
  return {
    ...{ id, kind: kind!, reason: reason ?? '', merchants: merchants ?? [], by: by ?? '', createdAt: at },
    // A comparison has nothing to do.
    status: kind === 'reconcile' ? 'done' : 'planned',
    counts: Object.fromEntries(counts.map(({ verdict, number }) => [verdict, number])),
    ...{ total, done: kind === 'reconcile' ? total : 0, failed: 0, last: 0, aliveAtMs: Date.parse(at) },
  };
}

function started(job: JobState, { at, by, run, pass = 'run', total }: JobRecord) {
  const mayStart = pass === 'approval' ? job.status !== 'cancelled' && job.kind === 'resolve-by-file' : !isOver(job);
  if (!mayStart) return { job, items: [] };
  const isNewPass = pass !== (job.pass ?? 'run');
  const { underWay, why: _why, ...idle } = job;
  // The run before may have done the item or not.
  const lost =
    underWay && !isNewPass
      ? resulted(idle, { job: job.id, number: job.last, result: 'unknown', resultWhy: 'The run ended meanwhile: look at the order.' }) // prettier-ignore
      : { job: idle, items: [] };
  const counted = isNewPass ? { last: 0, done: 0, failed: 0, total: total ?? 0 } : {};
  const who = pass === 'run' ? { startedBy: by } : { approvedBy: by };
  const state: JobState = { ...lost.job, ...counted, ...compact(who), status: 'running', pass, run: run!, aliveAtMs: Date.parse(at) }; // prettier-ignore
  return { job: state, items: lost.items };
}

function resulted(job: JobState, item: ItemChange): { job: JobState; items: ItemChange[] } {
  const { done, failed } = job;
  const isFailure = FAILURES.includes(item.result);
  return { job: { ...job, done: done + (isFailure ? 0 : 1), failed: failed + (isFailure ? 1 : 0) }, items: [item] };
}
