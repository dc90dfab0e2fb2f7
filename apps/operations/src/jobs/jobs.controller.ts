import { Readable } from 'node:stream';
import {
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  StreamableFile,
  UseGuards,
} from '@nestjs/common';
import { CurrentOperator, OperatorGuard, type OperatorIdentity, type OperatorRequest } from '@tranche/operators';
import { Problem } from '@tranche/service-kit';
import { Route, visibleTo } from '../api/operator.guard.js';
import { JobItemsQuery, JobRequest, JobsQuery } from '../api/queries.js';
import { csvLine } from '../export/csv.js';
import { Jobs } from './jobs.service.js';
import { jobMoved, jobView, JobsStore } from './jobs.store.js';

const COLUMNS = ['number', 'key', 'verdict', 'why', 'result', 'resultWhy', 'proposal'] as const;
const PAGE = 500;

/** Work on many items: a frozen plan with a verdict for each, and what became of it. */
@Controller('v1/jobs')
@UseGuards(OperatorGuard)
export class JobsController {
  constructor(
    private readonly jobs: Jobs,
    private readonly store: JobsStore,
  ) {}

  @Get()
  @Route('viewer', 'jobs.read')
  list(@Query() query: JobsQuery, @CurrentOperator() operator: OperatorIdentity) {
    visibleTo(operator, query.merchant);
    return this.store.list(query, operator.merchants);
  }

  @Post()
  @Route('operator', 'job.plan')
  async plan(@Body() asked: JobRequest, @Req() request: OperatorRequest) {
    return jobView(await this.jobs.plan(asked, runnerOf(request)));
  }

  @Get(':id')
  @Route('viewer', 'jobs.read')
  async job(@Param('id') id: string, @CurrentOperator() { merchants }: OperatorIdentity) {
    return jobView(await this.store.job(id, merchants));
  }

  @Get(':id/items')
  @Route('viewer', 'jobs.read')
  @Header('vary', 'authorization')
  async items(
    @Param('id') id: string,
    @Query() query: JobItemsQuery,
    @CurrentOperator() { merchants }: OperatorIdentity,
  ) {
    await this.store.job(id, merchants);
    if (query.format !== 'csv') return this.store.items(id, query);
    const disposition = 'attachment; filename="items.csv"';
    return new StreamableFile(Readable.from(this.#csv(id, query)), { type: 'text/csv; charset=utf-8', disposition });
  }

  @Post(':id/start')
  @HttpCode(200)
  @Route('operator', 'job.start')
  async start(@Param('id') id: string, @Req() request: OperatorRequest) {
    const runner = runnerOf(request);
    const job = await this.store.job(id, runner.operator.merchants);
    const pass = job.status === 'interrupted' ? (job.pass ?? 'run') : 'run';
    if (!['planned', 'interrupted'].includes(job.status)) throw jobMoved(`It is ${job.status}.`);
    if (pass === 'approval') throw jobMoved('Its approval was interrupted: approve goes on.');
    return jobView(await this.jobs.start(job, pass, runner));
  }

  @Post(':id/approve')
  @HttpCode(200)
  @Route('approver', 'job.approve')
  async approve(@Param('id') id: string, @Req() request: OperatorRequest) {
    const runner = runnerOf(request);
    const job = await this.store.job(id, runner.operator.merchants);
    const isInterrupted = job.status === 'interrupted' && job.pass === 'approval';
    if (job.kind !== 'resolve-by-file') throw jobMoved('It makes no proposals.');
    if (job.status !== 'done' && !isInterrupted)
      throw jobMoved(`It is ${job.status}: its proposals are approved once it is done.`);
    if (job.startedBy === runner.operator.person)
      throw new Problem({
        status: 403,
        code: 'same_operator',
        detail: 'Another person than the one who started it must approve.',
      });
    return jobView(await this.jobs.start(job, 'approval', runner));
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @Route('operator', 'job.cancel')
  async cancel(@Param('id') id: string, @Req() request: OperatorRequest) {
    const runner = runnerOf(request);
    return jobView(await this.jobs.cancel(await this.store.job(id, runner.operator.merchants), runner));
  }

  async *#csv(id: string, query: JobItemsQuery): AsyncGenerator<string> {
    yield `\uFEFF${csvLine([...COLUMNS, 'about'])}`;
    let cursor: string | undefined;
    do {
      const page = await this.store.items(id, Object.assign(new JobItemsQuery(), query, { limit: PAGE, cursor }));
      yield page.items.map((item) => csvLine([...COLUMNS.map((name) => item[name] ?? ''), item.about ? JSON.stringify(item.about) : ''])).join(''); // prettier-ignore
      cursor = page.next;
    } while (cursor !== undefined);
  }
}

const runnerOf = ({ operator, headers }: OperatorRequest) => ({
  operator: operator!,
  authorization: headers.authorization,
});
