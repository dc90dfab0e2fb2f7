import { Module } from '@nestjs/common';
import { AuthEvents } from './auth-events.producer.js';

@Module({ providers: [AuthEvents], exports: [AuthEvents] })
export class AuthEventsModule {}
