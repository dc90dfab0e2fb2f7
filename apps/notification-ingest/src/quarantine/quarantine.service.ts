import { Injectable } from '@nestjs/common';
import { keepNewest } from '@tranche/runtime';
import { Metrics, ServiceLogger } from '@tranche/service-kit';
import { FailureLimits, type QuarantineVerdict } from '../limits/failure-limits.store.js';
import { NotificationProducer, OverloadedError } from '../notification.producer.js';
import { valueOf, type Parameters } from '@tranche/platform';
import type { EncodedEvent } from '@tranche/contracts';
import { opened } from '../parameters-of-request.js';
import type { ReceivedRequest } from '../received-request.js';
import { idOfRequest, quarantineRecord, requestRecord, type Suspect } from '../quarantine-record.js';

/** Maximum refused notifications whose repeats we recognise and do not store again. */
const MAX_REMEMBERED = 10_000;
/** Maximum stored size in bytes. A normal notification has about 1 kB. */
const MAX_KEPT_BYTES = 8_192;
/** A notification without the digits of a HASH can never verify, so we do not keep it. */
const HAS_HASH = /[0-9a-f]{64}/i;
/** Other paths are those of scanners, and of browsers on their way back to the shop. */
const NOTIFICATION_PATH = /notif/i;

interface Refusal {
  reason: 'hash_mismatch' | 'unknown_identifier' | 'unreadable' | 'not_found';
  /** Reason why the request could not be read. */
  unreadable?: string;
  notification?: string;
  merchant?: string;
  from: string;
}

interface Kept {
  reason: string;
  /** Key of the record. */
  id: string;
  from: string;
  /** Equal for repeats, which are not stored again. */
  known: string;
  /** False if it can never verify. */
  isSigned: boolean;
  /** Bytes, about. */
  length: number;
}

/** Logs refused notifications and keeps them for an operator, who may find that our key was wrong. Both are limited. */
@Injectable()
export class QuarantineService {
  readonly #dropped;
  readonly #kept = new Set<string>();

  constructor(
    private readonly producer: NotificationProducer,
    private readonly limits: FailureLimits,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    this.#dropped = metrics.counterFromZero({
      name: 'ingest_quarantine_dropped_total',
      help: 'Refused notifications that are not in quarantine: no HASH of the right form, or a path that is none of notifications (no_hash), over 8 kB (size), their address, or all together, had put in what they may for this reason (address, total), too many waited (busy), Kafka did not take it (failed)',
      labels: { reason: ['no_hash', 'size', 'address', 'total', 'busy', 'failed'] },
    });
  }

  keep(reason: 'hash_mismatch' | 'unknown_identifier', suspect: Suspect): void {
    const { id, from, merchant, parameters } = suspect;
    this.logRefusal({ reason, notification: id, merchant, from });
    const hash = valueOf(parameters, 'HASH') ?? '';
    // The key includes HASH: a forged copy with the same content must not keep the genuine one out of quarantine.
    const kept = {
      reason,
      id,
      from,
      known: `${id} ${hash}`,
      isSigned: HAS_HASH.test(hash),
      length: lengthOf(parameters),
    };
    this.#storeLater(kept, () => quarantineRecord(reason, suspect));
  }

  /** Keeps a request that could not be read, as it came, so that it can be read again after ours or its sender's fault was found. */
  keepRequest(reason: 'unreadable' | 'not_found', why: string, received: ReceivedRequest, from: string): void {
    const id = idOfRequest(received);
    const { request, isHidden } = opened(received);
    this.logRefusal({ reason, unreadable: why, notification: id, from });
    const parts = [request.query, request.body ?? Buffer.alloc(0)];
    const length = parts[0]!.length + parts[1]!.length;
    const isHere = reason === 'unreadable' || NOTIFICATION_PATH.test(request.path);
    // We check the length first, so that a long text costs no search.
    const hasHash = () => HAS_HASH.test(Buffer.concat(parts).toString('latin1').replaceAll('\0', ''));
    const isSigned = isHere && (isHidden || length > MAX_KEPT_BYTES || hasHash());
    const refused = { id, why, request, isHidden, from, receivedAt: new Date().toISOString() };
    const kept = { reason, id, from, known: id, isSigned, length };
    this.#storeLater(kept, () => requestRecord(reason, refused));
  }

  logRefusal({ from, ...about }: Refusal): void {
    if (this.limits.takeLine(from)) this.log.warn({ ...about, from }, 'a notification was refused');
  }

  logTooLarge(from: string): void {
    if (this.limits.takeLine(from))
      this.log.error({ from }, 'a notification is larger than may be taken; it was refused and is kept nowhere');
  }

  /** Does not delay the answer: the record is stored in the background. */
  #storeLater(kept: Kept, recordOf: () => EncodedEvent): void {
    this.#store(kept, recordOf).catch((error: unknown) => {
      this.#dropped.inc({ reason: error instanceof OverloadedError ? 'busy' : 'failed' });
      if (!this.limits.takeLine(kept.from)) return;
      this.log.error({ notification: kept.id, error: String(error) }, 'a refused notification was not quarantined');
    });
  }

  async #store({ reason, id, from, known, isSigned, length }: Kept, recordOf: () => EncodedEvent): Promise<void> {
    if (this.#kept.has(known)) return;
    if (!isSigned) return this.#dropped.inc({ reason: 'no_hash' });
    // We check the length first, because `quarantineRecord` searches the whole text for card numbers.
    if (length > MAX_KEPT_BYTES) return this.#dropped.inc({ reason: 'size' });
    const record = recordOf();
    const verdict = await this.#take(reason, from, record.value.length);
    if (verdict !== 'kept') {
      this.#dropped.inc({ reason: verdict });
      return;
    }
    await this.producer.quarantine(id, record);
    this.#kept.add(known);
    keepNewest(this.#kept, MAX_REMEMBERED);
  }

  /** Checks the stored size too, because JSON can write one control character as six bytes. */
  async #take(reason: string, from: string, bytes: number): Promise<QuarantineVerdict | 'size'> {
    return bytes > MAX_KEPT_BYTES ? 'size' : this.limits.takeQuarantine(reason, from, bytes);
  }
}

function lengthOf(parameters: Parameters): number {
  return parameters.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
}
