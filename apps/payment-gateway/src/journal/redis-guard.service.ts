import { Injectable } from '@nestjs/common';
import { errorText } from '@tranche/runtime';
import { InjectRedis, Metrics, ServiceLogger, RedisClient } from '@tranche/service-kit';
import { Intake } from './intake.service.js';

const ASK_EVERY_MS = 10_000;

interface ServerReport {
  address: string;
  /** Another one after each start of the server. */
  runId: string;
  evictedKeys: number;
  policy: string | undefined;
}

/** Asks each master of Redis again and again, and after each connection, whether it may evict keys; while one may, no commands are taken (R14). */
@Injectable()
export class RedisGuard {
  readonly #evicted;
  readonly #last = new Map<string, ServerReport>();
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
    const fault = faultOf(await this.#ask());
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
      const servers = await this.#ask();
      this.intake.report('redis', faultOf(servers));
      this.#evicted.set(servers.reduce((sum, { evictedKeys }) => sum + evictedKeys, 0));
      for (const server of servers) this.#compare(server);
    } catch (error) {
      this.log.debug({ error: errorText(error) }, 'Redis could not be asked for its settings');
    }
  }

  async #ask(): Promise<ServerReport[]> {
    await this.redis.sendToEach(['PING']);
    const answers = await this.redis.sendToEach<string>(['INFO']).catch(() => [{ address: '', answer: '' }]);
    return answers.map(({ address, answer }) => {
      const field = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(answer)?.[1];
      return {
        address,
        runId: field('run_id') ?? '',
        evictedKeys: Number(field('evicted_keys') ?? 0),
        policy: field('maxmemory_policy'),
      };
    });
  }

  #compare(server: ServerReport): void {
    const { address, runId, evictedKeys } = server;
    const last = this.#last.get(address);
    this.#last.set(address, server);
    if (last && last.runId !== runId)
      this.log.warn({ address, runId }, 'Redis is another server process than before, or was started again');
    else if (last && evictedKeys > last.evictedKeys)
      this.log.error({ address, evictedKeys }, 'Redis has evicted keys: where the index lost some it is built anew');
  }
}

function faultOf(servers: readonly ServerReport[]): string | undefined {
  const at = ({ address }: ServerReport) => (servers.length > 1 ? ` at ${address}` : '');
  const silent = servers.find(({ policy }) => policy === undefined);
  if (silent !== undefined)
    return `Redis${at(silent)} does not say whether it evicts keys: allow the command INFO to the user of the gateway`;
  const evicting = servers.find(({ policy }) => policy !== 'noeviction');
  if (evicting !== undefined)
    return `Redis${at(evicting)} evicts keys (maxmemory-policy ${evicting.policy}). Set maxmemory-policy noeviction`;
  return undefined;
}
