import { Module } from '@nestjs/common';
import { LimitsModule } from '../limits/limits.module.js';
import { PublishingModule } from '../publishing.module.js';
import { QuarantineService } from './quarantine.service.js';

@Module({ imports: [PublishingModule, LimitsModule], providers: [QuarantineService], exports: [QuarantineService] })
export class QuarantineModule {}
