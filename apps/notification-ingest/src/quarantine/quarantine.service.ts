import { Injectable } from '@nestjs/common';
import { keepNewest } from '@tranche/runtime';
import { Metrics, ServiceLogger } from '@tranche/service-kit';
import { FailureLimits, type QuarantineVerdict } from '../limits/failure-limits.store.js';
import { NotificationProducer, OverloadedError } from '../notification.producer.js';
import { valueOf } from '@tranche/platform';
import { quarantineRecord, type Suspect } from './quarantine-record.js';

/** Maximum refused notifications whose repeats we recognise and do not store again. */
const MAX_REMEMBERED = 10_000;
/** Maximum stored size in bytes. A normal notification has about 1 kB. */
const MAX_KEPT_BYTES = 8_192;
/** A notification without a well-formed HASH can never verify, so we do not keep it. */
const HASH = /^[0-9a-f]{64}$/;

interface Refusal {
  reason: 'hash_mismatch' | 'unknown_identifier' | 'unreadable' | 'not_found';
  /** Reason why the request could not be read. */
  unreadable?: string;
  notification?: string;
  merchant?: string;
  from: string;
}

/** Logs refused notifications and keeps them for an operator, who may find that our key was wrong. Both are limited. */
@Injectable()
export class QuarantineService {
  private readonly dropped;
  private readonly kept = new Set<string>();

  constructor(
    private readonly producer: NotificationProducer,
    private readonly limits: FailureLimits,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    this.dropped = metrics.counter({
      name: 'ingest_quarantine_dropped_total',
      help: 'Refused notifications that are not in quarantine: no HASH of the right form (no_hash), over 8 kB (size), their address, or all together, had put in what they may for this reason (address, total), too many waited (busy), Kafka did not take it (failed)',
      labelNames: ['reason'],
    });
  }

  /** Does not delay the answer: the record is stored in the background. */
  keep(reason: 'hash_mismatch' | 'unknown_identifier', suspect: Suspect): void {
    this.logRefusal({ reason, notification: suspect.id, merchant: suspect.merchant, from: suspect.from });
    this.store(reason, suspect).catch((error: unknown) => {
      this.dropped.inc({ reason: error instanceof OverloadedError ? 'busy' : 'failed' });
      if (!this.limits.takeLine(suspect.from)) return;
      this.log.error({ notification: suspect.id, error: String(error) }, 'a refused notification was not quarantined');
    });
  }

  logRefusal({ from, ...about }: Refusal): void {
    if (this.limits.takeLine(from)) this.log.warn({ ...about, from }, 'a notification was refused');
  }

  logTooLarge(from: string): void {
    if (this.limits.takeLine(from))
      this.log.error({ from }, 'a notification is larger than may be taken; it was refused and is kept nowhere');
  }

  private async store(reason: 'hash_mismatch' | 'unknown_identifier', suspect: Suspect): Promise<void> {
    // The key includes HASH: a forged copy with the same content must not keep the genuine one out of quarantine.
    const hash = valueOf(suspect.parameters, 'HASH') ?? '';
    const known = `${suspect.id} ${hash}`;
    if (this.kept.has(known)) return;
    if (!HASH.test(hash)) return this.dropped.inc({ reason: 'no_hash' });
    // We check the length first, because `quarantineRecord` searches the whole text for card numbers.
    if (lengthOf(suspect) > MAX_KEPT_BYTES) return this.dropped.inc({ reason: 'size' });
    const record = quarantineRecord(reason, suspect);
    const verdict = await this.take(reason, suspect.from, record.value.length);
    if (verdict !== 'kept') {
      this.dropped.inc({ reason: verdict });
      return;
    }
    await this.producer.quarantine(suspect.id, record);
    this.kept.add(known);
    keepNewest(this.kept, MAX_REMEMBERED);
  }

  /** Checks the stored size too, because JSON can write one control character as six bytes. */
  private async take(reason: string, from: string, bytes: number): Promise<QuarantineVerdict | 'size'> {
    return bytes > MAX_KEPT_BYTES ? 'size' : this.limits.takeQuarantine(reason, from, bytes);
  }
}

function lengthOf({ parameters }: Suspect): number {
  return parameters.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
}
