import { Module } from '@nestjs/common';
import { LimitsModule } from '../limits/limits.module.js';
import { ReturnController } from './return.controller.js';

@Module({ imports: [LimitsModule], controllers: [ReturnController] })
export class ReturnModule {}
