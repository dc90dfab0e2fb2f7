import { Body, Controller, Get, Header, HttpCode, Param, ParseIntPipe, Post, UseGuards } from '@nestjs/common';
import type { SkipDecision } from '@tranche/order-journal';
import { Problem } from '@tranche/service-kit';
import { IsString, Length, Matches } from 'class-validator';
import { JournalDecisions } from '../journal/journal-decisions.service.js';
import { Journal } from '../journal/journal.service.js';
import { CurrentOperator, OperatorGuard } from './operator.guard.js';

export class SkipProposal {
  /** Kept for good: no personal data. */
  @IsString()
  @Length(10, 500)
  @Matches(/^[^\u0000-\u001f\u007f]*$/, { message: 'must hold no control characters' })
  reason: string;
}

export interface JournalPartitionsView {
  /** Partitions of this instance that stopped at a record. `maySkip` is false for one of a newer release: upgrade. */
  stoppedAt: { partition: number; offset: string; hash: string; maySkip: boolean }[];
  decisions: readonly SkipDecision[];
}

/** A journal record that can't be read, and the two people who decide to skip it. docs/runbook.md, "A journal partition is stopped". */
@Controller('v1/journal')
@UseGuards(OperatorGuard)
export class JournalPartitionsController {
  constructor(
    private readonly journal: Journal,
    private readonly decisions: JournalDecisions,
  ) {}

  @Get('partitions')
  @Header('cache-control', 'no-store')
  async partitions(): Promise<JournalPartitionsView> {
    const stoppedAt = this.journal.view.stoppedAtRecords.map((stop) => ({ ...stop, offset: String(stop.offset) }));
    return { stoppedAt, decisions: (await this.decisions.list()).decisions };
  }

  @Post('partitions/:partition/skip')
  @HttpCode(201)
  @Header('cache-control', 'no-store')
  propose(
    @Param('partition', ParseIntPipe) partition: number,
    @Body() { reason }: SkipProposal,
    @CurrentOperator() operator: unknown,
  ): Promise<SkipDecision> {
    const stop = this.journal.view.stoppedAtRecords.find((one) => one.partition === partition);
    if (!stop) {
      const detail = 'Here this partition has not stopped at a record.';
      throw new Problem({ status: 409, code: 'partition_not_stopped', detail });
    }
    if (!stop.maySkip) {
      const detail = 'A newer release wrote this record and can read it. Upgrade; it must not be skipped.';
      throw new Problem({ status: 409, code: 'record_of_newer_release', detail });
    }
    const { offset, hash } = stop;
    return this.decisions.propose({ partition, offset: String(offset), hash, reason }, operator as string);
  }

  @Post('decisions/:id/approve')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  approve(@Param('id') id: string, @CurrentOperator() operator: unknown): Promise<SkipDecision> {
    return this.decisions.approve(id, operator as string);
  }
}
