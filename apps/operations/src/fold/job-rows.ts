import { Injectable } from '@nestjs/common';
import { JOB_TYPE, type JobRecord } from '@tranche/contracts';
import type { ConsumedRecord } from '@tranche/kafka';
import { Database, type Fragment, type Sql } from '../database/database.service.js';
import { column, jsonText, type Written } from './batch.store.js';
import { foldJob, type ItemChange, type JobState } from './job-fold.js';

/** The rows that the topic of jobs comes to. */
@Injectable()
export class JobRows {
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
}

/** Only this service writes the topic; what it can not read is of a later release. */
function recordOf({ headers, value }: ConsumedRecord): JobRecord[] {
  if (headers.ce_type !== JOB_TYPE || value === null) return [];
  return [JSON.parse(value.toString('utf8')) as JobRecord];
}

const putJobs = (sql: Sql, jobs: readonly JobState[], items: readonly ItemChange[]): Fragment => sql`
  jobbed as (
    insert into jobs (id, kind, status, merchants, created_at, state)
    select id, kind, status, array(select jsonb_array_elements_text(merchants::jsonb)), created_at::timestamptz, state::jsonb
    from unnest(
      ${column(jobs, ({ id }) => id)}::text[],
      ${column(jobs, ({ kind }) => kind)}::text[],
      ${column(jobs, ({ status }) => status)}::text[],
      ${column(jobs, ({ merchants }) => jsonText(merchants))}::text[],
      ${column(jobs, ({ createdAt }) => createdAt)}::text[],
      ${column(jobs, (state) => jsonText(state))}::text[]
    ) as t(id, kind, status, merchants, created_at, state)
    where exists (select from moved)
    on conflict (id) do update set status = excluded.status, state = excluded.state
  ), itemized as (
    insert into job_items (job, number, key, verdict, why, about, result, result_why, proposal)
    select job, number::int, key, verdict, why, about::jsonb, result, result_why, proposal
    from unnest(
      ${column(items, ({ job }) => job)}::text[],
      ${column(items, ({ number }) => number)}::text[],
      ${column(items, ({ key }) => key)}::text[],
      ${column(items, ({ verdict }) => verdict)}::text[],
      ${column(items, ({ why }) => why)}::text[],
      ${column(items, ({ about }) => about && jsonText(about))}::text[],
      ${column(items, ({ result }) => result)}::text[],
      ${column(items, ({ resultWhy }) => resultWhy)}::text[],
      ${column(items, ({ proposal }) => proposal)}::text[]
    ) as t(job, number, key, verdict, why, about, result, result_why, proposal)
    where exists (select from moved)
    on conflict (job, number) do update set
      key = coalesce(excluded.key, job_items.key), verdict = coalesce(excluded.verdict, job_items.verdict),
      why = coalesce(excluded.why, job_items.why), about = coalesce(excluded.about, job_items.about),
      result = coalesce(excluded.result, job_items.result), result_why = coalesce(excluded.result_why, job_items.result_why),
      proposal = coalesce(excluded.proposal, job_items.proposal)
  )`;
