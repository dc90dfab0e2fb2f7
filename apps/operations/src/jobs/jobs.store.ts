import { Injectable } from '@nestjs/common';
import { JOB_TYPE, TOPICS, type ItemResult, type JobRecord } from '@tranche/contracts';
import type { ConsumedRecord } from '@tranche/kafka';
import { compact, pauseFor } from '@tranche/runtime';
import { Problem } from '@tranche/service-kit';
import { cursorOf, placeOf } from '../api/cursor.js';
import type { JobItemsQuery, JobsQuery } from '../api/queries.js';
import { Database, type Fragment, type Sql } from '../database/database.service.js';
import { jsonText, type Written } from '../fold/batch.store.js';
import { foldJob, type ItemChange, type JobState } from './job-fold.js';

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
interface ItemRow extends Omit<Item, 'about' | 'result' | 'resultWhy' | 'proposal'> {
  about: Record<string, string> | null;
  result: ItemResult | null;
  result_why: string | null;
  proposal: string | null;
}

/** The jobs as PostgreSQL has them: a projection of their topic. */
@Injectable()
export class JobsStore {
  constructor(private readonly database: Database) {}

  /** Rows of a batch of the topic. */
  readonly fold = async (records: readonly ConsumedRecord[]): Promise<Omit<Written, 'next'>> => {
    const read = records.flatMap(recordOf);
    const jobs = await this.#states(read.map(({ job }) => job));
    const items = new Map<string, ItemChange>();
    for (const record of read) {
      const folded = foldJob(jobs.get(record.job), record);
      if (folded.job) jobs.set(record.job, folded.job);
      for (const one of folded.items) {
        const key = `${one.job}/${one.number}`;
        items.set(key, { ...items.get(key), ...one });
      }
    }
    return { rows: [], also: (sql) => putJobs(sql, [...jobs.values()], [...items.values()]) };
  };

  async #states(ids: readonly string[]): Promise<Map<string, JobState>> {
    const { sql } = this.database;
    const rows = await sql<{ state: JobState }[]>`select state from jobs where id = any(${[...new Set(ids)]})`;
    return new Map(rows.map(({ state }) => [state.id, state]));
  }

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
    const last = rows[limit - 1];
    return compact({
      jobs: rows.slice(0, limit).map(({ state }) => jobView(asOfNow(state))),
      next: rows.length > limit && last ? cursorOf([last.made, last.state.id]) : undefined,
    });
  }

  async items(job: string, { verdict, result, limit, cursor }: Omit<JobItemsQuery, 'format' | 'merchant'>) {
    const after = Number(placeOf(cursor, 1)?.[0] ?? 0);
    const rows = await this.#itemsBehind(job, after, limit + 1, { verdict, result });
    const last = rows[limit - 1];
    return compact({
      items: rows.slice(0, limit),
      next: rows.length > limit && last ? cursorOf([String(last.number)]) : undefined,
    });
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
    const rows = await sql<ItemRow[]>`
      select number, key, verdict, coalesce(why, '') as why, about, result, result_why, proposal from job_items
      where job = ${job} and number > ${after}
        ${verdict === undefined ? sql`` : sql`and verdict = ${verdict}`}
        ${result === undefined ? sql`` : sql`and result = ${result}`}
        ${isToDo ? sql`and result is null and verdict = any(${[...TO_DO]})` : sql``}
      order by number limit ${limit}`;
    return rows.map(({ about, result: what, result_why: resultWhy, proposal, ...row }) => ({
      ...row,
      ...compact({ about: about ?? undefined, result: what ?? undefined }),
      ...compact({ resultWhy: resultWhy ?? undefined, proposal: proposal ?? undefined }),
    }));
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

/** The job as the routes show it. */
export function jobView(job: JobState) {
  const { id, kind, status, reason, merchants, by, createdAt, startedBy, approvedBy, why, counts, done, failed, total } = job; // prettier-ignore
  return compact({
    ...{ id, kind, status, reason, merchants, by, createdAt, startedBy, approvedBy },
    ...{ why: status === 'interrupted' ? why : undefined, counts, done, failed, total },
  });
}

/** Only this service writes the topic; what it can not read is of a later release. */
function recordOf({ headers, value }: ConsumedRecord): JobRecord[] {
  if (headers.ce_type !== JOB_TYPE || value === null) return [];
  return [JSON.parse(value.toString('utf8')) as JobRecord];
}

const putJobs = (sql: Sql, jobs: readonly JobState[], items: readonly ItemChange[]): Fragment => sql`
  jobbed as (
    insert into jobs (id, kind, status, merchants, created_at, state)
    select * from json_to_recordset(${jsonText(jobs.map((state) => ({ ...state, created_at: state.createdAt, state })))}::text::json)
      as t(id text, kind text, status text, merchants text[], created_at timestamptz, state jsonb)
    where exists (select from moved)
    on conflict (id) do update set status = excluded.status, state = excluded.state
  ), itemized as (
    insert into job_items (job, number, key, verdict, why, about, result, result_why, proposal)
    select * from json_to_recordset(${jsonText(items.map((item) => ({ ...item, result_why: item.resultWhy })))}::text::json)
      as t(job text, number int, key text, verdict text, why text, about jsonb, result text, result_why text, proposal text)
    where exists (select from moved)
    on conflict (job, number) do update set
      key = coalesce(excluded.key, job_items.key), verdict = coalesce(excluded.verdict, job_items.verdict),
      why = coalesce(excluded.why, job_items.why), about = coalesce(excluded.about, job_items.about),
      result = coalesce(excluded.result, job_items.result), result_why = coalesce(excluded.result_why, job_items.result_why),
      proposal = coalesce(excluded.proposal, job_items.proposal)
  )`;
