import { readNotification } from '@tranche/contracts';
import type { IngestConfig } from '../ingest.config.js';
import type { NotificationProducer } from '../notification.producer.js';
import { isSignedBy, valueOf } from '@tranche/platform';
import { namesAnOrder } from '../notification.service.js';
import type { Quarantined } from './quarantined.js';

export interface Reverified {
  /** Records of the quarantine that were asked for. */
  read: number;
  /** Records whose HASH fits now. */
  verified: number;
  /** Notifications published, each once however many records it had. */
  published: number;
  /** Records whose HASH fits no key. */
  stillRefused: number;
  /** Records that card data, or all values, were taken out of, so that no HASH can fit. */
  altered: number;
  /** Records whose HASH fits and that name no order: for a person. */
  withoutOrder: number;
}

const AT_ONCE = 500;
const PUBLISH_TIMEOUT_MS = 30_000;

type ProducerSettings = Pick<
  IngestConfig,
  'kafkaTopicPrefix' | 'publishTimeoutMs' | 'maxWaitingNotifications' | 'maxWaitingBytes'
>;

/** No webhook waits for an answer here, and what is under way is bounded by `AT_ONCE`: the limits of the running service would turn records away. */
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
 * Verifies what is in quarantine with the keys of now, and publishes what is genuine as the event that it would have been: the same id
 * and the time at which it came. Whoever has seen that event already sees it again and knows it by its id.
 */
export class Reverification {
  readonly result: Reverified = { read: 0, verified: 0, published: 0, stillRefused: 0, altered: 0, withoutOrder: 0 };
  readonly #published = new Set<string>();
  #underWay: Promise<void>[] = [];

  constructor(
    private readonly config: Pick<IngestConfig, 'merchants'>,
    /** Undefined where nothing is to be published. */
    private readonly producer: Pick<NotificationProducer, 'publish'> | undefined,
  ) {}

  async run(records: AsyncIterable<Quarantined>): Promise<Reverified> {
    for await (const record of records) {
      this.result.read++;
      this.verify(record);
      if (this.#underWay.length >= AT_ONCE) await this.settle();
    }
    await this.settle();
    return this.result;
  }

  private verify({ id, parameters, isAltered, receivedAt }: Quarantined): void {
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
      } else if (!this.#published.has(id)) {
        this.#published.add(id);
        if (this.producer !== undefined) this.publish(this.producer.publish(id, notification));
      }
    }
  }

  private publish(acknowledged: Promise<unknown>): void {
    const published = acknowledged.then(() => void this.result.published++);
    // `settle` reports it, perhaps much later: until then it must not count as an unhandled rejection.
    published.catch(() => undefined);
    this.#underWay.push(published);
  }

  private async settle(): Promise<void> {
    const underWay = this.#underWay;
    this.#underWay = [];
    const failed = (await Promise.allSettled(underWay)).find((one) => one.status === 'rejected');
    if (failed) throw new Error(`a notification was not published: ${String(failed.reason)}`, { cause: failed.reason });
  }
}

/** What `--merchant` and `--since` let through; by IDENTIFIER also what no merchant had when it came. */
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
