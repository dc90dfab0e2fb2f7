import { Injectable } from '@nestjs/common';
import { JOB_TYPE, type JobRecord } from '@tranche/contracts';
import type { ConsumedRecord } from '@tranche/kafka';
import { Database, type Fragment, type Sql } from '../database/database.service.js';
import { jsonText, type Written } from './batch.store.js';
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
        // A result has its own reason, or none.
        items.set(key, { ...items.get(key), ...(one.result && { resultWhy: undefined }), ...one });
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
      result = coalesce(excluded.result, job_items.result),
      result_why = case when excluded.result is null then job_items.result_why else excluded.result_why end,
      proposal = coalesce(excluded.proposal, job_items.proposal)
  )`;
