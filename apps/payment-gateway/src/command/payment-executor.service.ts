import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AgreedClock, CommandExecutor } from '@tranche/order-journal';
import { Journal } from '../journal/journal.service.js';
import type { BearerToken } from '../platform/bearer-token.client.js';
import { PlatformCaller, type PlatformForm } from '../platform/platform-caller.service.js';
import { RailBreakers } from '../platform/rail-breakers.service.js';
import type { AcceptedCommand } from './accepted-command.js';
import { RepublishThrottle } from './republish-throttle.js';
import { prepareAttempt } from './prepare-attempt.js';

@Injectable()
export class PaymentExecutor extends CommandExecutor<AcceptedCommand, PlatformForm, BearerToken> {
  constructor(
    journal: Journal,
    platform: PlatformCaller,
    gate: RailBreakers,
    clock: AgreedClock,
    repeats: RepublishThrottle,
  ) {
    super({
      journal: journal.view,
      gate,
      timing: clock,
      readClocks: () => clock.readClocks(),
      newToken: randomUUID,
      republishResult: ({ merchant: { merchant }, orderId, commandId, appendedMs }, lease, append) =>
        repeats.republish({ merchant, orderId, commandId, appendedMs }, lease, append),
      prepare: (command, order, attempt) => prepareAttempt(command, order, attempt, clock.nowMs()),
      bearerFor: (merchant) => platform.bearerFor(merchant),
      urlCount: platform.urlCount,
      firstUrl: () => platform.answeringUrl,
      warmUp: (url) => platform.warmUp(url),
      send: (form, options) => platform.send(form, options),
    });
  }
}
