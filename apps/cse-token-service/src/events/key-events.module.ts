import { Module } from '@nestjs/common';
import { KeyEvents } from './key-events.producer.js';

@Module({ providers: [KeyEvents], exports: [KeyEvents] })
export class KeyEventsModule {}
