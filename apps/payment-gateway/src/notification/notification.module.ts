import { Module } from '@nestjs/common';
import { JournalModule } from '../journal/journal.module.js';
import { NotificationConsumer } from './notification.consumer.js';

@Module({ imports: [JournalModule], controllers: [NotificationConsumer] })
export class NotificationModule {}
