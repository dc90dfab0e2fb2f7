import { Inject, Injectable } from '@nestjs/common';
import { TOPICS, type AuthEvent, type AuthEventType } from '@tranche/contracts';
import { EventAnnouncer } from '@tranche/kafka';

/** `auth.events.v1`, beside the work: Kafka may be away, or not there at all (docs/decisions/0025). Never a token. */
@Injectable()
export class AuthEvents {
  constructor(@Inject(EventAnnouncer) private readonly announcer: EventAnnouncer | undefined) {}

  announce(type: AuthEventType, event: AuthEvent): void {
    this.announcer?.announce(TOPICS.authEvents, event.account, { type, subject: event.account, data: event });
  }
}
