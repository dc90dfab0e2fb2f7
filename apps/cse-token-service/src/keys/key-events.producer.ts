import { Injectable } from '@nestjs/common';
import { TOPICS, type CseEvent, type CseEventType } from '@tranche/contracts';
import { EventAnnouncer } from '@tranche/kafka';

/** Announces key changes without delaying the work: nothing waits for Kafka (docs/decisions/0029). */
@Injectable()
export class KeyEvents {
  constructor(private readonly announcer: EventAnnouncer) {}

  announce(type: CseEventType, event: CseEvent): void {
    this.announcer.announce(TOPICS.cseEvents, event.apiKeyId, { type, subject: event.apiKeyId, data: event });
  }
}
