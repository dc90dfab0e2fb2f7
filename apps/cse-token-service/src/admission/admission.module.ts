import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { CardDataGuard } from '../card-data/card-data.guard.js';
import { LimitsModule } from '../limits/limits.module.js';
import { AdmissionGuard } from './admission.guard.js';
import { KeyProblemFilter } from './key-problem.filter.js';
import { OriginHeaders } from './origin-headers.service.js';
import { RequestTimes } from './request-times.service.js';

/** Guards before every route: limits and origins first, card data second; and the filter for refusals. */
@Module({
  imports: [LimitsModule],
  providers: [
    OriginHeaders,
    RequestTimes,
    KeyProblemFilter,
    { provide: APP_GUARD, useClass: AdmissionGuard },
    { provide: APP_GUARD, useClass: CardDataGuard },
  ],
})
export class AdmissionModule {}
