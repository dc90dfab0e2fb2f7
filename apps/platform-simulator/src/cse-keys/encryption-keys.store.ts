import { generateKeyPair, randomUUID, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { Merchant, Merchants } from '@tranche/contracts';

interface EncryptionKeyRecord {
  readonly encryptionKeyId: string;
  readonly encryptionPublicKey: string;
}

interface EncryptionKey {
  readonly id: string;
  readonly pair: Promise<{ publicKey: KeyObject; privateKey: KeyObject }>;
}

const MAX_ACCEPTED = 5;

/** All API keys share one RSA key until a rotation gives one of them its own. Private keys stay in key objects and are never exported. */
export class EncryptionKeys {
  /** Accepted keys per API key; the current key comes first. */
  readonly #accepted: Map<string, readonly EncryptionKey[]>;
  readonly #owners: ReadonlyMap<string, Merchant>;

  constructor(merchants: Merchants) {
    const pairs = merchants.all.flatMap((merchant) =>
      (merchant.apiKeys ?? []).filter(({ type }) => type !== 'Private').map(({ id }) => [id, merchant] as const),
    );
    this.#owners = new Map(pairs);
    const first = newKey();
    this.#accepted = new Map(pairs.map(([apiKeyId]) => [apiKeyId, [first]]));
  }

  merchantOf(apiKeyId: unknown): Merchant | undefined {
    return this.#owners.get(apiKeyId as string);
  }

  async current(apiKeyId: string): Promise<EncryptionKeyRecord | undefined> {
    const key = this.#accepted.get(apiKeyId)?.[0];
    if (key === undefined) return undefined;
    const { publicKey } = await key.pair;
    return {
      encryptionKeyId: key.id,
      encryptionPublicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    };
  }

  /** `undefined`: the key was never issued for this API key or is no longer accepted. */
  async privateKey(apiKeyId: string, encryptionKeyId: string): Promise<KeyObject | undefined> {
    const key = this.#accepted.get(apiKeyId)?.find(({ id }) => id === encryptionKeyId);
    return key && (await key.pair).privateKey;
  }

  /** Creates a key for one or all API keys and returns its id. Without `keepPrevious`, earlier keys are no longer accepted. */
  rotate(apiKeyId: string | undefined, keepPrevious: boolean): string {
    const key = newKey();
    for (const [id, previous] of this.#accepted) {
      if (apiKeyId !== undefined && id !== apiKeyId) continue;
      this.#accepted.set(id, keepPrevious ? [key, ...previous].slice(0, MAX_ACCEPTED) : [key]);
    }
    return key.id;
  }

  list() {
    return [...this.#accepted].map(([apiKeyId, keys]) => ({
      apiKeyId,
      encryptionKeyId: keys[0]?.id,
      accepted: keys.map(({ id }) => id),
    }));
  }
}

const newKey = (): EncryptionKey => ({
  id: randomUUID(),
  pair: promisify(generateKeyPair)('rsa', { modulusLength: 2048, publicExponent: 65_537 }),
});
