import { Module } from '@nestjs/common';
import { GatewayKafkaModule } from '../gateway-kafka.module.js';
import { JournalModule } from '../journal/journal.module.js';
import { SentLedgerService } from './sent-ledger.service.js';

/** Provides the sent ledger: after a kill, the next process knows from it which calls were never sent. */
@Module({ imports: [GatewayKafkaModule, JournalModule], providers: [SentLedgerService], exports: [SentLedgerService] })
export class SentLedgerModule {}
