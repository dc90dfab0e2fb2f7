import {
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  Param,
  ParseIntPipe,
  Post,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import { IsString, Length, Matches } from 'class-validator';
import { GatewayConfig } from '../gateway.config.js';
import { JournalResume } from '../journal/journal-resume.service.js';
import { Journal } from '../journal/journal.service.js';
import { AuditInterceptor } from '../operations/audit/audit.interceptor.js';
import type { OperatorIdentity } from '../operations/operator-identity.js';
import { CurrentOperator, OperatorGuard, Requires } from '../operations/operator.guard.js';
import { JournalDecisions, type JournalDecisionView } from './journal-decisions.service.js';

export class DecisionProposal {
  /** Kept without a time limit, so it must hold no personal data. */
  @IsString()
  @Length(10, 500)
  @Matches(/^[^\u0000-\u001f\u007f]*$/, { message: 'must hold no control characters' })
  reason: string;
}

export interface JournalPartitionsView {
  /** Partitions that this instance has stopped at a record that it can't read. `maySkip` is false where a newer release wrote the record: upgrade. */
  stoppedAt: { partition: number; offset: string; hash: string; maySkip: boolean }[];
  /** All partitions that this instance has stopped or can't project, and the reasons. */
  stopped: { partition: number; reason: string }[];
  decisions: readonly JournalDecisionView[];
}

/** Shows stopped partitions, and takes decisions to skip a record or resume a partition. docs/runbook.md, "A journal partition is stopped". */
@Controller('v1/journal')
@UseGuards(OperatorGuard)
@UseInterceptors(AuditInterceptor)
export class JournalPartitionsController {
  constructor(
    private readonly journal: Journal,
    private readonly decisions: JournalDecisions,
    private readonly resume: JournalResume,
    private readonly config: GatewayConfig,
  ) {}

  get #stopped(): ReadonlyMap<number, string> {
    return this.journal.view.stopped;
  }

  @Get('partitions')
  @Requires({ role: 'viewer', ofAllMerchants: true, action: 'partitions.read' })
  @Header('cache-control', 'no-store')
  async partitions(): Promise<JournalPartitionsView> {
    const stoppedAt = this.journal.view.stoppedAtRecords.map((stop) => ({ ...stop, offset: String(stop.offset) }));
    const stopped = [...this.#stopped].map(([partition, reason]) => ({ partition, reason }));
    return { stoppedAt, stopped, decisions: await this.decisions.list() };
  }

  @Post('partitions/:partition/skip')
  @Requires({ role: 'operator', ofAllMerchants: true, action: 'partition.skip' })
  @HttpCode(201)
  @Header('cache-control', 'no-store')
  propose(
    @Param('partition', ParseIntPipe) partition: number,
    @Body() { reason }: DecisionProposal,
    @CurrentOperator() operator: OperatorIdentity,
  ): Promise<JournalDecisionView> {
    const stop = this.journal.view.stoppedAtRecords.find((one) => one.partition === partition);
    if (!stop) {
      const detail =
        'This instance has not stopped the partition at a record. Send the proposal to an instance that has.';
      throw new Problem({ status: 409, code: 'partition_not_stopped', detail });
    }
    if (!stop.maySkip) {
      const detail = 'This record must not be skipped: a newer release may have written it and can read it. Upgrade.';
      throw new Problem({ status: 409, code: 'record_of_newer_release', detail });
    }
    const { offset, hash } = stop;
    return this.decisions.proposeSkip({ partition, offset: String(offset), hash, reason }, operator);
  }

  /** Proposes to resume the partition with the records that its log holds now. */
  @Post('partitions/:partition/resume')
  @Requires({ role: 'operator', ofAllMerchants: true, action: 'partition.resume' })
  @HttpCode(201)
  @Header('cache-control', 'no-store')
  async proposeResume(
    @Param('partition', ParseIntPipe) partition: number,
    @Body() { reason }: DecisionProposal,
    @CurrentOperator() operator: OperatorIdentity,
  ): Promise<JournalDecisionView> {
    const isAtRecord = this.journal.view.stoppedAtRecords.some((one) => one.partition === partition);
    if (isAtRecord || !this.#stopped.has(partition)) {
      const detail =
        'This instance has not stopped the partition, or has stopped it at a record: then propose to skip that record.';
      throw new Problem({ status: 409, code: 'partition_not_stopped', detail });
    }
    const log = await this.resume.keptLog(partition);
    const { journalEpoch: epoch } = this.config;
    return this.decisions.proposeResume({ partition, log, epoch, reason }, operator);
  }

  @Post('decisions/:id/approve')
  @Requires({ role: 'approver', ofAllMerchants: true, action: 'decision.approve' })
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async approve(@Param('id') id: string, @CurrentOperator() operator: OperatorIdentity): Promise<JournalDecisionView> {
    const decision = await this.decisions.open(id, operator);
    if (!('log' in decision.subject)) return this.decisions.approve(decision, operator);
    if (!(await this.resume.fits(decision.subject))) {
      const detail =
        'The log of this partition was truncated or replaced again after the proposal. Look at it, and make a new proposal.';
      throw new Problem({ status: 409, code: 'journal_changed', detail });
    }
    return this.decisions.approve(decision, operator, { commandEnds: await this.resume.commandEnds() });
  }
}
