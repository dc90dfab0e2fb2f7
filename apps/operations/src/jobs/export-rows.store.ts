import { Injectable } from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import { Database } from '../database/database.service.js';
import { jsonText } from '../fold/batch.store.js';
import type { ExportFault, ExportRow } from '../export/platform-export.js';

const ROWS_AT_ONCE = 2_000;
const FAULTS_SHOWN = 100;

/** Keeps the rows of an export in PostgreSQL while a plan is made of them: memory would grow with their number. */
@Injectable()
export class ExportRows {
  constructor(private readonly database: Database) {}

  /** @throws Problem 422 that names each fault with its line */
  async take(job: string, rows: Iterable<ExportRow | ExportFault>): Promise<void> {
    const faults: ExportFault[] = [];
    let number = 0;
    let waiting: ExportRow[] = [];
    for (const row of rows) {
      if ('fault' in row) {
        if (++number <= FAULTS_SHOWN) faults.push(row);
      } else if (waiting.push(row) === ROWS_AT_ONCE) {
        await this.#put(job, waiting);
        waiting = [];
      }
    }
    await this.#put(job, waiting);
    const doubles = await this.#doubles(job);
    if (number + doubles.number > 0) throw unreadable([...faults, ...doubles.faults], number + doubles.number);
  }

  async #put(job: string, rows: readonly ExportRow[]): Promise<void> {
    await this.database.sql`
      insert into export_rows (job, order_id, line, body)
      select ${job}, one->>'orderId', (one->>'line')::int, one from json_array_elements(${jsonText(rows)}::text::json) as one`;
  }

  async #doubles(job: string): Promise<{ faults: ExportFault[]; number: number }> {
    const rows = await this.database.sql<{ line: number; before: number; number: number }[]>`
      select line, before, count(*) over ()::int as number from (
        select line, lag(line) over (partition by body->>'transactionId' order by line) as before
        from export_rows where job = ${job}
      ) as each where before is not null order by line limit ${FAULTS_SHOWN}`;
    const faults = rows.map(({ line, before }) => ({ line, fault: `has the transaction of line ${before} once more` }));
    return { faults, number: rows[0]?.number ?? 0 };
  }

  /** The times of the first and the last row; none for an export without rows. */
  async period(job: string): Promise<{ from: string; to: string } | undefined> {
    const [row] = await this.database.sql<{ from: string; to: string }[]>`
      select min(body->>'at') as from, max(body->>'at') as to from export_rows where job = ${job} having count(*) > 0`;
    return row;
  }

  async drop(job: string): Promise<void> {
    await this.database.sql`delete from export_rows where job = ${job}`;
  }
}

function unreadable(faults: readonly ExportFault[], number: number): Problem {
  const first = faults.toSorted((one, other) => one.line - other.line).slice(0, FAULTS_SHOWN);
  const more = number > FAULTS_SHOWN ? `, of which the first ${FAULTS_SHOWN} are named` : '';
  return new Problem({
    status: 422,
    code: 'export_unreadable',
    detail: `Nothing was begun: the file has ${number} faults${more}.`,
    faults: first.map(({ line, fault }) => ({ path: `line ${line}`, code: 'format', message: fault })),
  });
}
