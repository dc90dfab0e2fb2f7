import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EncryptionKeyRecord } from '@tranche/contracts';
import { InjectRedis, ServiceLogger, type RedisClient } from '@tranche/service-kit';
import { keepNewest, reasonOf, within } from '@tranche/runtime';
import { CseConfig } from '../cse.config.js';

/** Equals the retention of `cse.events.v1`. */
const REMEMBERED_SECONDS = 35 * 24 * 60 * 60;
/** Maximum keys per API key id in this process; the oldest is dropped first. */
const MAX_KEYS = 100;

/** Atomic, because instances may see the same key at the same time. Other bytes under a known id change nothing. */
const REMEMBER = `
local known = redis.call('GET', KEYS[1])
if known and known ~= ARGV[1] then return {known, ''} end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[3])
local before = redis.call('GET', KEYS[2])
redis.call('SET', KEYS[2], ARGV[2], 'EX', ARGV[3])
return {ARGV[1], before or ''}`;

interface Memory {
  fingerprints: Map<string, string>;
  latestId?: string;
}

interface Remembered {
  /** Fingerprint of the bytes under this key id. */
  fingerprint: string;
  /** Id of the previous key, if there was one. */
  beforeId?: string;
}

/** Remembers the bytes of each key id: in this process, and in Redis across restarts and instances (docs/decisions/0027). */
@Injectable()
export class KnownKeys {
  readonly #memories = new Map<string, Memory>();

  constructor(
    private readonly config: CseConfig,
    @InjectRedis() private readonly redis: RedisClient | undefined,
    private readonly log: ServiceLogger,
  ) {}

  /** True if this process received a key with this id, for any API key. */
  has(encryptionKeyId: string): boolean {
    return [...this.#memories.values()].some(({ fingerprints }) => fingerprints.has(encryptionKeyId));
  }

  /** Stores the key unless its id already has other bytes; in that case returns their fingerprint. */
  async remember(apiKeyId: string, { encryptionKeyId }: EncryptionKeyRecord, fingerprint: string): Promise<Remembered> {
    const memory = this.#memories.get(apiKeyId) ?? { fingerprints: new Map<string, string>() };
    const known = memory.fingerprints.get(encryptionKeyId);
    if (known !== undefined && known !== fingerprint) return { fingerprint: known };
    const shared = await this.#rememberTogether(apiKeyId, encryptionKeyId, fingerprint);
    if (shared !== undefined && shared.fingerprint !== fingerprint) return shared;
    const beforeId = shared?.beforeId ?? memory.latestId;
    this.#memories.set(apiKeyId, memory);
    memory.latestId = encryptionKeyId;
    memory.fingerprints.delete(encryptionKeyId);
    memory.fingerprints.set(encryptionKeyId, fingerprint);
    keepNewest(memory.fingerprints, MAX_KEYS);
    return { fingerprint, beforeId };
  }

  /** Redis names of a key id's bytes and of the latest key id. An operator deletes them to accept other bytes. */
  entriesOf(apiKeyId: string, encryptionKeyId: string): [string, string] {
    const ofApiKey = `${this.config.redisKeyPrefix}key:{${apiKeyId}}`;
    return [`${ofApiKey}:${createHash('sha256').update(encryptionKeyId).digest('hex')}`, `${ofApiKey}:latest`];
  }

  async #rememberTogether(
    apiKeyId: string,
    encryptionKeyId: string,
    fingerprint: string,
  ): Promise<Remembered | undefined> {
    if (this.redis === undefined) return undefined;
    const { redisAnswerMs } = this.config;
    const keys = this.entriesOf(apiKeyId, encryptionKeyId);
    try {
      const asked = this.redis.eval(REMEMBER, {
        keys,
        arguments: [fingerprint, encryptionKeyId, String(REMEMBERED_SECONDS)],
      });
      const answer = await within(redisAnswerMs, asked, () => new Error(`no answer within ${redisAnswerMs} ms`));
      const [theirs = '', before = ''] = answer as string[];
      return { fingerprint: theirs, ...(before === '' ? {} : { beforeId: before }) };
    } catch (error) {
      this.log.warn(
        { apiKeyId, reason: reasonOf(error) },
        'Redis cannot say which keys were given before: only those that this process was given count',
      );
      return undefined;
    }
  }
}
