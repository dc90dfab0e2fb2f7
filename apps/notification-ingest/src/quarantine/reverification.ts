import { readNotification, type PaymentNotification } from '@tranche/contracts';
import type { IngestConfig } from '../ingest.config.js';
import { namesAnOrder, type NotificationProducer } from '../notification.producer.js';
import { isSignedBy, valueOf } from '@tranche/platform';
import { asSigned, contentHash } from '../received-parameters.js';
import type { Quarantined } from '../quarantine-record.js';

export interface Reverified {
  /** Records read that match the options. */
  read: number;
  /** Records whose HASH is valid with a current key. */
  verified: number;
  /** Published notifications; the repeats of one count once. */
  published: number;
  /** Records whose HASH is still not valid with any key. */
  stillRefused: number;
  /** Records from which card data or all values were removed, so their HASH can't be verified any more. */
  altered: number;
  /** Records with a valid HASH, but without a usable ORDERID. An operator must look at them. */
  withoutOrder: number;
}

const AT_ONCE = 500;
const PUBLISH_TIMEOUT_MS = 30_000;

type ProducerSettings = Pick<
  IngestConfig,
  'kafkaTopicPrefix' | 'publishTimeoutMs' | 'maxWaitingNotifications' | 'maxWaitingBytes'
>;

/** The service's queue limits would refuse some of many records. Here no webhook waits for an answer, and `AT_ONCE` bounds the memory. */
export function settingsOfReverification({
  kafkaTopicPrefix,
}: Pick<IngestConfig, 'kafkaTopicPrefix'>): ProducerSettings {
  return {
    kafkaTopicPrefix,
    publishTimeoutMs: PUBLISH_TIMEOUT_MS,
    maxWaitingNotifications: AT_ONCE,
    maxWaitingBytes: Infinity,
  };
}

/**
 * Verifies the quarantined records with the present keys and publishes each genuine one with the id and time that its event would have
 * had. Consumers that already have that event recognise it by its id. An entry is closed only after its event is stored: after a crash
 * between the two it is open, and the next run publishes the same event again.
 */
export class Reverification {
  readonly result: Reverified = { read: 0, verified: 0, published: 0, stillRefused: 0, altered: 0, withoutOrder: 0 };
  readonly #published = new Map<string, Promise<void>>();
  #underWay: Promise<void>[] = [];

  constructor(
    private readonly config: Pick<IngestConfig, 'merchants'>,
    /** Undefined for a dry run. */
    private readonly producer: Pick<NotificationProducer, 'publish' | 'close'> | undefined,
  ) {}

  async run(records: AsyncIterable<Quarantined>): Promise<Reverified> {
    for await (const record of records) {
      this.result.read++;
      this.#verify(record);
      if (this.#underWay.length >= AT_ONCE) await this.#settle();
    }
    await this.#settle();
    return this.result;
  }

  #verify({ entry, id: recordId, parameters: received, isAltered, receivedAt }: Quarantined): void {
    const parameters = asSigned(this.config.merchants, received);
    const id = parameters === received ? recordId : contentHash(parameters);
    const merchant = this.config.merchants.byIdentifier(valueOf(parameters, 'IDENTIFIER') ?? '');
    if (isAltered) {
      this.result.altered++;
    } else if (merchant === undefined || !isSignedBy(merchant, parameters)) {
      this.result.stillRefused++;
    } else {
      this.result.verified++;
      const notification = readNotification(
        merchant.merchant,
        parameters,
        receivedAt,
        merchant.keepsNotifiedClient ?? false,
      );
      if (!namesAnOrder(notification)) {
        this.result.withoutOrder++;
      } else if (this.producer !== undefined) {
        const closed = this.#publish(this.producer, id, notification).then(() => this.producer?.close(entry, id));
        // `settle` reports the failure later. Until then Node.js would end the process for an unhandled rejection.
        closed.catch(() => undefined);
        this.#underWay.push(closed);
      }
    }
  }

  /** The repeats of a notification share its event. */
  #publish(
    producer: Pick<NotificationProducer, 'publish'>,
    id: string,
    notification: PaymentNotification,
  ): Promise<void> {
    const published =
      this.#published.get(id) ?? producer.publish(id, notification).then(() => void this.result.published++);
    this.#published.set(id, published);
    return published;
  }

  async #settle(): Promise<void> {
    const underWay = this.#underWay;
    this.#underWay = [];
    const failed = (await Promise.allSettled(underWay)).find((one) => one.status === 'rejected');
    if (failed)
      throw new Error(`a notification was not published, or its entry not closed: ${String(failed.reason)}`, {
        cause: failed.reason,
      });
  }
}

/** Filters by `--merchant` and `--since`. `identifier` also finds the merchant's records from before its IDENTIFIER was configured. */
export async function* chosen(
  records: AsyncIterable<Quarantined>,
  { merchant, since }: { merchant?: string; since?: string },
  identifier?: string,
): AsyncGenerator<Quarantined> {
  for await (const record of records) {
    const isOfMerchant =
      merchant === undefined ||
      record.merchant === merchant ||
      (identifier !== undefined && valueOf(record.parameters, 'IDENTIFIER') === identifier);
    if (isOfMerchant && (since === undefined || Date.parse(record.receivedAt) >= Date.parse(since))) yield record;
  }
}
