import { Inject, Injectable } from '@nestjs/common';
import { TOPICS, type AuthEvent, type AuthEventType } from '@tranche/contracts';
import { EventAnnouncer } from '@tranche/kafka';

/** Announces without delaying the work; Kafka may be down or absent (docs/decisions/0029). Never contains a token. */
@Injectable()
export class AuthEvents {
  constructor(@Inject(EventAnnouncer) private readonly announcer: EventAnnouncer | undefined) {}

  announce(type: AuthEventType, event: AuthEvent): void {
    this.announcer?.announce(TOPICS.authEvents, event.account, { type, subject: event.account, data: event });
  }
}
