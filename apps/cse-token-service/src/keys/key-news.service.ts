import { Injectable } from '@nestjs/common';
import { Metrics, reasonOf, ServiceLogger } from '@tranche/service-kit';
import { KeyEvents } from '../events/key-events.producer.js';
import { UnsoundKeyError, type ProvidedKey } from '../key-provider/key-provider.client.js';
import { KnownKeys } from './known-keys.store.js';

/** What goes on while the provider gives no key. */
export interface Meanwhile {
  heldKeyId?: string;
  /** How long the held key is handed out yet. */
  heldForMs: number;
}

/** Tells operators what became of keys: a log line, a count, an event. */
@Injectable()
export class KeyNews {
  readonly #changes;
  /** The unsound key of each API key id that was announced last: a provider that insists is one event. */
  readonly #announced = new Map<string, string>();

  constructor(
    private readonly known: KnownKeys,
    private readonly events: KeyEvents,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    this.#changes = metrics.counter({
      name: 'cse_key_changes_total',
      help: 'Keys that the provider gave: the first of an API key (seen), another one (rotated), one that nobody may use (refused)',
      labelNames: ['change'],
    });
    for (const change of ['seen', 'rotated', 'refused']) this.#changes.inc({ change }, 0);
  }

  /** `beforeId`: of the key that was given before; undefined when there was none. */
  given(apiKeyId: string, { record: { encryptionKeyId }, fingerprint }: ProvidedKey, beforeId: string | undefined): void {
    if (beforeId === encryptionKeyId) return;
    const told = { apiKeyId, encryptionKeyId, fingerprint };
    if (beforeId === undefined) {
      this.#changes.inc({ change: 'seen' });
      this.log.info(told, 'the first encryption key of this API key');
      this.events.announce('cse.key.seen', told);
    } else {
      this.#changes.inc({ change: 'rotated' });
      this.log.warn({ ...told, beforeId }, 'the encryption key was replaced by another one');
      this.events.announce('cse.key.rotated', { ...told, reason: `in place of ${beforeId}` });
    }
  }

  notGiven(apiKeyId: string, error: unknown, meanwhile: Meanwhile): void {
    const reason = reasonOf(error);
    const rest = meanwhile.heldForMs > 0 ? 'the one from before is handed out for a bounded time' : 'there is none to hand out';
    if (!(error instanceof UnsoundKeyError)) {
      this.log.warn({ apiKeyId, reason, ...meanwhile }, `the key provider gave no key; ${rest}`);
      return;
    }
    const { encryptionKeyId, fingerprint } = error;
    this.#changes.inc({ change: 'refused' });
    const [entry] = this.known.entriesOf(apiKeyId, encryptionKeyId);
    this.log.error(
      { apiKeyId, encryptionKeyId, fingerprint, entry, reason, ...meanwhile },
      `the key provider gave a key that is refused; ${rest}`,
    );
    const identity = `${encryptionKeyId} ${fingerprint} ${reason}`;
    if (this.#announced.get(apiKeyId) === identity) return;
    this.#announced.set(apiKeyId, identity);
    this.events.announce('cse.key.refused', { apiKeyId, encryptionKeyId, ...(fingerprint === undefined ? {} : { fingerprint }), reason });
  }
}
