import { Controller, Get, UseGuards } from '@nestjs/common';
import { RAILS } from '@tranche/contracts';
import { CurrentOperator, OperatorGuard, type OperatorIdentity } from '@tranche/operators';
import { Database } from '../database/database.service.js';
import { Route } from './operator.guard.js';

const STEP_MINUTES = 5;
const STEPS = 12;

/** The platform's answers of the last hour, as the journal has them. */
@Controller('v1')
@UseGuards(OperatorGuard)
export class CallsController {
  constructor(private readonly database: Database) {}

  @Get('calls')
  @Route('viewer', 'doubts.read')
  async calls(@CurrentOperator() { merchants }: OperatorIdentity) {
    const { sql } = this.database;
    const rows = await sql<{ rail: string; result: string; step: number; number: number }[]>`
      select rail, result, greatest(0, floor(extract(epoch from now() - minute) / ${60 * STEP_MINUTES}::int))::int as step,
        sum(number)::int as number
      from calls where minute > now() - make_interval(mins => ${STEP_MINUTES * STEPS}) and ${this.database.ofMerchants(merchants)}
      group by 1, 2, 3 order by 2`;
    const rails = RAILS.map((rail) => {
      const ofRail = rows.filter((row) => row.rail === rail);
      const results = [...new Set(ofRail.map(({ result }) => result))].map((result) => {
        const numbers = Array.from({ length: STEPS }, () => 0);
        for (const { step, number } of ofRail.filter((row) => row.result === result)) numbers[STEPS - 1 - step]! += number;
        return { result, total: numbers.reduce((sum, one) => sum + one, 0), numbers };
      });
      return { rail, results };
    });
    return { stepMinutes: STEP_MINUTES, rails };
  } // prettier-ignore
}
