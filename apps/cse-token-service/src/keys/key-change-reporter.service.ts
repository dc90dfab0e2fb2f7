import { Injectable } from '@nestjs/common';
import { Metrics, ServiceLogger } from '@tranche/service-kit';
import { compact, reasonOf } from '@tranche/runtime';
import { TOPICS, type CseEvent, type CseEventType } from '@tranche/contracts';
import { EventAnnouncer } from '@tranche/kafka';
import { UnsoundKeyError, type ProvidedKey } from '../key-provider/key-provider.client.js';
import { KnownKeys } from './known-keys.store.js';

/** The cached key that is still served while the provider gives none. */
interface StaleKey {
  staleKeyId?: string;
  /** Milliseconds for which it is still served; 0 if it is not. */
  staleForMs: number;
}

@Injectable()
export class KeyChangeReporter {
  readonly #changes;
  /** The last announced unsound key by API key id, because a provider that repeats it is one event. */
  readonly #announced = new Map<string, string>();

  constructor(
    private readonly known: KnownKeys,
    private readonly announcer: EventAnnouncer,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    this.#changes = metrics.counterFromZero({
      name: 'cse_key_changes_total',
      help: 'Keys that the provider gave: the first of an API key (seen), another one (rotated), one that is not safe to use (refused)',
      labels: { change: ['seen', 'rotated', 'refused'] },
    });
  }

  /** @param beforeId id of the previous key, if there was one */
  given(
    apiKeyId: string,
    { record: { encryptionKeyId }, fingerprint }: ProvidedKey,
    beforeId: string | undefined,
  ): void {
    if (beforeId === encryptionKeyId) return;
    const change = { apiKeyId, encryptionKeyId, fingerprint };
    if (beforeId === undefined) {
      this.#changes.inc({ change: 'seen' });
      this.log.info(change, 'the first encryption key of this API key');
      this.#announce('cse.key.seen', change);
    } else {
      this.#changes.inc({ change: 'rotated' });
      this.log.warn({ ...change, beforeId }, 'the encryption key was replaced by another one');
      this.#announce('cse.key.rotated', { ...change, reason: `in place of ${beforeId}` });
    }
  }

  notGiven(apiKeyId: string, error: unknown, stale: StaleKey): void {
    const reason = reasonOf(error);
    const rest =
      stale.staleForMs > 0 ? 'the one from before is handed out for a bounded time' : 'there is none to hand out';
    if (!(error instanceof UnsoundKeyError)) {
      this.log.warn({ apiKeyId, reason, ...stale }, `the key provider gave no key; ${rest}`);
      return;
    }
    const { encryptionKeyId, fingerprint } = error;
    this.#changes.inc({ change: 'refused' });
    const [entry] = this.known.entriesOf(apiKeyId, encryptionKeyId);
    this.log.error(
      { apiKeyId, encryptionKeyId, fingerprint, entry, reason, ...stale },
      `the key provider gave a key that is refused; ${rest}`,
    );
    const identity = `${encryptionKeyId} ${fingerprint} ${reason}`;
    if (this.#announced.get(apiKeyId) === identity) return;
    this.#announced.set(apiKeyId, identity);
    this.#announce('cse.key.refused', {
      apiKeyId,
      ...compact({ encryptionKeyId, fingerprint, reason }),
    });
  }

  /** Nothing waits for Kafka (docs/decisions/0029). */
  #announce(type: CseEventType, event: CseEvent): void {
    this.announcer.announce(TOPICS.cseEvents, event.apiKeyId, { type, subject: event.apiKeyId, data: event });
  }
}
