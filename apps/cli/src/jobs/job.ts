import { setTimeout as delay } from 'node:timers/promises';
import type { Job, JobItem, JobItems } from '../api/operations.js';
import { EXIT, type ExitCode } from '../exit.js';
import { Progress } from '../output/progress.js';
import type { Session } from '../session/session.js';

const ASK_AGAIN_MS = 1_000;

export const pathOfJob = (id: string): string => `/v1/jobs/${encodeURIComponent(id)}`;

export const countsText = ({ counts }: Pick<Job, 'counts'>): string =>
  Object.entries(counts)
    .map(([verdict, number]) => `${number} ${verdict}`)
    .join(', ') || 'nothing';

/** Waits until the job runs no more. */
export async function waitFor(session: Session, id: string): Promise<Job> {
  const progress = new Progress();
  for (;;) {
    const job = await session.api.get<Job>(pathOfJob(id));
    if (job.status !== 'running') {
      progress.end();
      return job;
    }
    progress.say(
      `job ${id}: ${job.done + job.failed} of ${job.total}${job.failed > 0 ? `, ${job.failed} failed` : ''}`,
    );
    await delay(ASK_AGAIN_MS);
  }
}

/** All items of a job, page by page. */
export async function* itemsOf(session: Session, id: string, verdict?: string): AsyncGenerator<JobItem> {
  let cursor: string | undefined;
  do {
    const page = await session.api.get<JobItems>(`${pathOfJob(id)}/items`, { verdict, cursor, limit: 500 });
    yield* page.items;
    cursor = page.next;
  } while (cursor !== undefined);
} // prettier-ignore

/** Verdicts that leave nothing to people once the job is done. */
const SETTLED = new Set(['matched', 'attempt', 'repeat', 'resolve', 'propose', 'not-in-doubt']);

/** The code of a job that runs no more. A reconciliation only compares: what differs is left to people. */
export function exitCodeOfJob({ kind, status, failed, counts }: Job): ExitCode {
  if (status === 'cancelled') return EXIT.refused;
  const isLeft = Object.entries(counts).some(([verdict, number]) => number > 0 && !SETTLED.has(verdict));
  const isWhole = kind === 'reconcile' || (status === 'done' && failed === 0);
  return isWhole && !isLeft ? EXIT.done : EXIT.partly;
}
