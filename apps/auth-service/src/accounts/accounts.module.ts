import { Module } from '@nestjs/common';
import { CallersModule } from '../callers/callers.module.js';
import { AccountsController } from './accounts.controller.js';

@Module({ imports: [CallersModule], controllers: [AccountsController] })
export class AccountsModule {}
