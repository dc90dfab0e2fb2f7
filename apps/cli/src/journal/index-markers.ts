import { INDEX_COUNTS, IndexSigner, OrderIndexKeys, type Mark } from '@tranche/order-journal';
import type { RedisClient } from '@tranche/service-kit';
import type { CliConfig } from '../cli.config.js';

const READ_MARKER = `${INDEX_COUNTS}
return {marker, counts()}`;

const DROP = `redis.call('UNLINK', unpack(KEYS))`;

interface FoundMarker {
  /** Absent where the index is lost, lacks an entry, or can't be verified. */
  mark?: Mark;
  /** True where there is a marker that was not signed with INDEX_HMAC_KEYS. */
  isUnverified: boolean;
}

/** The markers of the gateways' index in Redis. */
export class IndexMarkers {
  readonly #keys: OrderIndexKeys;
  readonly #signer: IndexSigner;

  constructor(
    private readonly redis: RedisClient,
    { kafkaTopicPrefix, indexKeys }: Pick<CliConfig, 'kafkaTopicPrefix' | 'indexKeys'>,
  ) {
    this.#keys = new OrderIndexKeys(kafkaTopicPrefix, indexKeys !== undefined);
    this.#signer = new IndexSigner(this.#keys.prefix, indexKeys);
  }

  async read(partition: number): Promise<FoundMarker> {
    const answer = await this.redis.eval(READ_MARKER, { keys: this.#keys.all(partition), arguments: [] });
    const [stored, counts] = answer as [string | null, string];
    if (stored === null) return { isUnverified: false };
    const marker = this.#signer.verifyMarker(partition, stored, counts);
    const isUnverified = !this.#signer.isMarker(partition, stored);
    if (marker === undefined) return { isUnverified };
    const { offset, hash } = marker;
    return { isUnverified, mark: { marker: offset, ...(hash === undefined ? {} : { hash }) } };
  }

  /** Deletes the partition's index; the next gateway builds it from the journal. */
  async drop(partition: number): Promise<void> {
    await this.redis.eval(DROP, { keys: this.#keys.all(partition), arguments: [] });
  }
}
