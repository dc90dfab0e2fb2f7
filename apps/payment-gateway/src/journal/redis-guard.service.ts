import { Injectable } from '@nestjs/common';
import { errorText } from '@tranche/runtime';
import { InjectRedis, Metrics, ServiceLogger, type RedisClient } from '@tranche/service-kit';
import { Intake } from './intake.service.js';

const ASK_EVERY_MS = 10_000;

interface RedisServer {
  /** Another one after each start of the server. */
  runId: string;
  evictedKeys: number;
  policy: string | undefined;
}

/** Asks Redis again and again, and after each connection, whether it may evict keys of the index; while it may, no commands are taken (R14). */
@Injectable()
export class RedisGuard {
  readonly #evicted;
  #last?: RedisServer;
  #timer?: NodeJS.Timeout;
  #asking = Promise.resolve();

  constructor(
    @InjectRedis() private readonly redis: RedisClient,
    private readonly intake: Intake,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    this.#evicted = metrics.gauge({
      name: 'tranche_redis_evicted_keys',
      help: 'Keys that the Redis of the index has evicted since it was started: none may be',
    });
  }

  /** Rejects while Redis is away, or where it evicts keys or does not say that it evicts none. */
  async assertUsable(): Promise<void> {
    const server = await this.#ask();
    const fault = faultOf(server);
    if (fault !== undefined) throw new Error(fault);
  }

  start(): void {
    this.redis.on('ready', this.#again);
    this.#timer = setInterval(this.#again, ASK_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.redis.off('ready', this.#again);
  }

  readonly #again = (): void => {
    this.#asking = this.#asking.then(() => this.look());
  };

  /** Never rejects: while Redis is away its connection says so. */
  async look(): Promise<void> {
    try {
      const server = await this.#ask();
      this.intake.report('redis', faultOf(server));
      this.#compare(server);
    } catch (error) {
      this.log.debug({ error: errorText(error) }, 'Redis could not be asked for its settings');
    }
  }

  async #ask(): Promise<RedisServer> {
    await this.redis.ping();
    const info = await this.redis.info().catch(() => '');
    const field = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1];
    return {
      runId: field('run_id') ?? '',
      evictedKeys: Number(field('evicted_keys') ?? 0),
      policy: field('maxmemory_policy'),
    };
  }

  #compare(server: RedisServer): void {
    const last = this.#last;
    this.#last = server;
    this.#evicted.set(server.evictedKeys);
    if (last && last.runId !== server.runId)
      this.log.warn({ runId: server.runId }, 'Redis is another server process than before, or was started again');
    else if (last && server.evictedKeys > last.evictedKeys)
      this.log.error(
        { evictedKeys: server.evictedKeys },
        'Redis has evicted keys: where the index lost some it is built anew',
      );
  }
}

function faultOf({ policy }: RedisServer): string | undefined {
  if (policy === undefined)
    return 'Redis does not say whether it evicts keys: allow the command INFO to the user of the gateway';
  if (policy !== 'noeviction') return `Redis evicts keys (maxmemory-policy ${policy}). Set maxmemory-policy noeviction`;
  return undefined;
}
