import { Module } from '@nestjs/common';
import { JournalModule } from '../journal/journal.module.js';
import { NotificationConsumer } from './notification.consumer.js';

/** Appends verified notifications of the platform to the journal as evidence. */
@Module({ imports: [JournalModule], controllers: [NotificationConsumer] })
export class NotificationModule {}
