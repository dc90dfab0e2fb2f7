import { Module } from '@nestjs/common';
import { JournalModule } from '../journal/journal.module.js';
import { NotificationConsumer } from './notification.consumer.js';

/** Verified notifications of the platform, as evidence in the journal. */
@Module({ imports: [JournalModule], controllers: [NotificationConsumer] })
export class NotificationModule {}
