import { Module } from '@nestjs/common';
import { CallerKeys } from './caller-keys.service.js';
import { CallerGuard } from './caller.guard.js';

@Module({ providers: [CallerKeys, CallerGuard], exports: [CallerKeys, CallerGuard] })
export class CallersModule {}
