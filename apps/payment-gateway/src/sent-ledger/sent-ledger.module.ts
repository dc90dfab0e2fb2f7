import { Module } from '@nestjs/common';
import { GatewayKafkaModule } from '../gateway-kafka.module.js';
import { JournalModule } from '../journal/journal.module.js';
import { SentLedgerService } from './sent-ledger.service.js';

/** Which calls of this node were never sent, told across a kill. */
@Module({ imports: [GatewayKafkaModule, JournalModule], providers: [SentLedgerService], exports: [SentLedgerService] })
export class SentLedgerModule {}
