import { Injectable } from '@nestjs/common';
import { TOPICS, type ItemResult } from '@tranche/contracts';
import { compact, pauseFor } from '@tranche/runtime';
import { Problem } from '@tranche/service-kit';
import { pageOf, placeOf } from '../api/cursor.js';
import type { JobItemsQuery, JobsQuery } from '../api/queries.js';
import { Database, type Fragment } from '../database/database.service.js';
import type { JobState } from '../fold/job-fold.js';

/** A run that gave no sign of life for so long has ended: another person may go on. */
export const INTERRUPTED_AFTER_MS = 20_000;
const LOOK_EVERY_MS = 5;
const LATEST_MS = 120_000;

export interface Item {
  number: number;
  key: string;
  verdict: string;
  why: string;
  about?: Record<string, string>;
  result?: ItemResult;
  resultWhy?: string;
  proposal?: string;
}

/** The jobs as PostgreSQL has them: a projection of their topic. */
@Injectable()
export class JobsStore {
  constructor(private readonly database: Database) {}

  /** Waits until a record of the topic is in PostgreSQL. */
  async seen(offset: bigint, stopping: AbortSignal): Promise<void> {
    const { sql } = this.database;
    const fromMs = performance.now();
    while (!stopping.aborted) {
      const [row] = await sql<{ isThere: boolean }[]>`
        select next > ${String(offset)} as "isThere" from positions where topic = ${TOPICS.jobs.name} and partition = 0`;
      if (row?.isThere) return;
      if (performance.now() - fromMs > LATEST_MS) break;
      await pauseFor(LOOK_EVERY_MS, stopping);
    }
    const detail = 'The job is in Kafka, and not in PostgreSQL yet. Look at the list of jobs later.';
    throw new Problem({ status: 503, code: 'unavailable', detail });
  }

  /** @throws Problem 404, also for a job that is about merchants that the operator does not have */
  async job(id: string, visible: readonly string[] | undefined): Promise<JobState> {
    const { sql } = this.database;
    const [row] = await sql<{ state: JobState }[]>`select state from jobs where id = ${id} and ${this.#sees(visible)}`;
    if (row) return asOfNow(row.state);
    throw new Problem({ status: 404, code: 'job_unknown', detail: 'There is no such job.' });
  }

  async list({ merchant, kind, status, limit, cursor }: JobsQuery, visible: readonly string[] | undefined) {
    const { sql } = this.database;
    const after = placeOf(cursor, 2);
    const isStale = sql`(state->>'aliveAtMs')::bigint < ${String(Date.now() - INTERRUPTED_AFTER_MS)}`;
    const statusNow = sql`case when status = 'running' and ${isStale} then 'interrupted' else status end`;
    const rows = await sql<{ state: JobState; made: string }[]>`
      select state, created_at::text as made from jobs
      where ${this.#sees(visible)}
        ${merchant === undefined ? sql`` : sql`and merchants @> ${[merchant]}::text[]`}
        ${kind === undefined ? sql`` : sql`and kind = ${kind}`}
        ${status === undefined ? sql`` : sql`and ${statusNow} = ${status}`}
        ${after ? sql`and (created_at, id) < (${after[0]!}::text::timestamptz, ${after[1]!})` : sql``}
      order by created_at desc, id desc limit ${limit + 1}`;
    const { page, next } = pageOf(rows, limit, ({ made, state }) => [made, state.id]);
    return compact({ jobs: page.map(({ state }) => jobView(asOfNow(state))), next });
  }

  async items(job: string, { verdict, result, limit, cursor }: Omit<JobItemsQuery, 'format' | 'merchant'>) {
    const after = Number(placeOf(cursor, 1)?.[0] ?? 0);
    const rows = await this.#itemsBehind(job, after, limit + 1, { verdict, result });
    const { page, next } = pageOf(rows, limit, ({ number }) => [String(number)]);
    return compact({ items: page, next });
  }

  /** The next items that a run or an approval does. */
  next({ id, last, pass }: JobState, limit: number): Promise<Item[]> {
    return this.#itemsBehind(id, last, limit, pass === 'approval' ? { result: 'proposed' } : { isToDo: true });
  }

  async proposed(job: string): Promise<number> {
    const [row] = await this.database.sql<{ number: number }[]>`
      select count(*)::int as number from job_items where job = ${job} and result = 'proposed'`;
    return row!.number;
  }

  async #itemsBehind(
    job: string,
    after: number,
    limit: number,
    { verdict, result, isToDo }: { verdict?: string | undefined; result?: string | undefined; isToDo?: true },
  ): Promise<Item[]> {
    const { sql } = this.database;
    const rows = await sql<{ item: Item }[]>`
      select json_strip_nulls(json_build_object('number', number, 'key', key, 'verdict', verdict, 'why', coalesce(why, ''),
        'about', about, 'result', result, 'resultWhy', result_why, 'proposal', proposal)) as item
      from job_items
      where job = ${job} and number > ${after}
        ${verdict === undefined ? sql`` : sql`and verdict = ${verdict}`}
        ${result === undefined ? sql`` : sql`and result = ${result}`}
        ${isToDo ? sql`and result is null and verdict = any(${[...TO_DO]})` : sql``}
      order by number limit ${limit}`;
    return rows.map(({ item }) => item);
  }

  #sees(visible: readonly string[] | undefined): Fragment {
    const { sql } = this.database;
    return visible === undefined ? sql`true` : sql`merchants <@ ${[...visible]}::text[]`;
  }
}

/** Verdicts of items that a run does. */
export const TO_DO: readonly string[] = ['attempt', 'repeat', 'resolve', 'propose'];

const asOfNow = (job: JobState): JobState =>
  job.status === 'running' && job.aliveAtMs < Date.now() - INTERRUPTED_AFTER_MS
    ? { ...job, status: 'interrupted', why: job.why ?? 'Whoever ran it ended.' }
    : job;

export const jobMoved = (detail: string): Problem => new Problem({ status: 409, code: 'job_moved', detail });

/** The job as the routes show it. */
export function jobView(job: JobState) {
  const { id, kind, status, reason, merchants, by, createdAt, startedBy, approvedBy, why, counts, done, failed, total } = job; // prettier-ignore
  return compact({
    ...{ id, kind, status, reason, merchants, by, createdAt, startedBy, approvedBy },
    ...{ why: status === 'interrupted' ? why : undefined, counts, done, failed, total },
  });
}
