import { Inject, Injectable } from '@nestjs/common';
import { errorText } from '@tranche/runtime';
import { InjectRedis, Metrics, ServiceLogger, RedisClient } from '@tranche/service-kit';
import { GatewayConfig } from '../gateway.config.js';
import { CommandGate } from './command-gate.service.js';
import { faultOfRedis, readRedisReport, type RedisReport } from './redis-report.js';

const ASK_EVERY_MS = 10_000;

/**
 * Checks each master of Redis regularly and after each connection: it must not evict keys and, in production, must write an append-only file, because
 * the index may hold records that brokers lost in a power failure. While a master does not comply, no commands are taken (R14).
 */
@Injectable()
export class RedisGuard {
  readonly #evicted;
  readonly #last = new Map<string, RedisReport>();
  #timer?: NodeJS.Timeout;
  #asking = Promise.resolve();

  constructor(
    @InjectRedis() private readonly redis: RedisClient,
    private readonly commandGate: CommandGate,
    private readonly log: ServiceLogger,
    @Inject(GatewayConfig) private readonly config: Pick<GatewayConfig, 'topics'>,
    metrics: Metrics,
  ) {
    this.#evicted = metrics.gauge({
      name: 'tranche_redis_evicted_keys',
      help: 'Keys that the Redis of the index has evicted since it was started: none may be',
    });
  }

  /** Rejects while Redis is unreachable, may lose entries of the index by its settings, or does not report its settings. */
  async assertUsable(): Promise<void> {
    const fault = this.#faultOf(await this.#ask());
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

  /** Never rejects: an unreachable Redis is reported by its connection. */
  async look(): Promise<void> {
    try {
      const servers = await this.#ask();
      this.commandGate.report('redis', this.#faultOf(servers));
      this.#evicted.set(servers.reduce((sum, { evictedKeys }) => sum + evictedKeys, 0));
      for (const server of servers) this.#compare(server);
    } catch (error) {
      this.log.debug({ error: errorText(error) }, 'Redis could not be asked for its settings');
    }
  }

  async #ask(): Promise<RedisReport[]> {
    await this.redis.sendToEach(['PING']);
    const answers = await this.redis.sendToEach<string>(['INFO']).catch(() => [{ address: '', answer: '' }]);
    return answers.map(({ address, answer }) => readRedisReport(address, answer));
  }

  #compare(server: RedisReport): void {
    const { address, runId, evictedKeys } = server;
    const last = this.#last.get(address);
    this.#last.set(address, server);
    if (last && last.runId !== runId)
      this.log.warn({ address, runId }, 'Redis is another server process than before, or was started again');
    else if (last && evictedKeys > last.evictedKeys)
      this.log.error({ address, evictedKeys }, 'Redis has evicted keys: where the index lost some it is built anew');
  }

  #faultOf(servers: readonly RedisReport[]): string | undefined {
    return faultOfRedis(servers, { isProduction: this.config.topics === 'check' });
  }
}
