import { Module } from '@nestjs/common';
import { OidcOperators, OperatorNotes, OperatorSignIn } from '@tranche/operators';
import { ServiceLogger } from '@tranche/service-kit';
import { Clock } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';
import { ControlsController } from './controls.controller.js';
import { OperationsController } from './operations.controller.js';
import { ProposalGauges } from './proposal-gauges.service.js';
import { ReplaysController } from './replays.controller.js';
import { Replays } from './replays.service.js';
import { ResolutionDecisions } from './resolution-decisions.service.js';
import { JournalModule } from '../journal/journal.module.js';
import { GatewayKafkaModule } from '../gateway-kafka.module.js';
import { Audit } from './audit.service.js';
import { AuditedRefusals } from './operator.guard.js';
import { PlatformModule } from '../platform/platform.module.js';
import { OperationsService } from './operations.service.js';
import { OrderReads } from './order-reads.service.js';
import { Rails } from './rails.service.js';

const SignIn = {
  provide: OperatorSignIn,
  useFactory: ({ operators }: GatewayConfig, clock: Clock, log: ServiceLogger) =>
    new OperatorSignIn(operators, clock, new OidcOperators(operators.oidc, clock, log)),
  inject: [GatewayConfig, Clock, ServiceLogger],
};

@Module({
  imports: [GatewayKafkaModule, JournalModule, PlatformModule],
  controllers: [OperationsController, ControlsController, ReplaysController],
  providers: [
    Audit,
    SignIn,
    { provide: OperatorNotes, useClass: AuditedRefusals },
    OperationsService,
    OrderReads,
    ProposalGauges,
    Rails,
    Replays,
    ResolutionDecisions,
  ],
})
export class OperationsModule {}
