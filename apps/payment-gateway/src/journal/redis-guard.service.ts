import { Inject, Injectable } from '@nestjs/common';
import { errorText } from '@tranche/runtime';
import { InjectRedis, Metrics, ServiceLogger, RedisClient } from '@tranche/service-kit';
import { GatewayConfig } from '../gateway.config.js';
import { Intake } from './intake.service.js';
import { faultOfRedis, readRedisReport, type RedisReport } from './redis-report.js';

const ASK_EVERY_MS = 10_000;

/**
 * Asks each master of Redis again and again, and after each connection, whether it may evict keys and, in production, whether it writes an
 * append-only file: the index may know what brokers lost that lost their power. While one does not fit, no commands are taken (R14).
 */
@Injectable()
export class RedisGuard {
  readonly #evicted;
  readonly #last = new Map<string, RedisReport>();
  #timer?: NodeJS.Timeout;
  #asking = Promise.resolve();

  constructor(
    @InjectRedis() private readonly redis: RedisClient,
    private readonly intake: Intake,
    private readonly log: ServiceLogger,
    @Inject(GatewayConfig) private readonly config: Pick<GatewayConfig, 'topics'>,
    metrics: Metrics,
  ) {
    this.#evicted = metrics.gauge({
      name: 'tranche_redis_evicted_keys',
      help: 'Keys that the Redis of the index has evicted since it was started: none may be',
    });
  }

  /** Rejects while Redis is away, or is set up in a way that loses what the index holds, or does not say how it is set up. */
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

  /** Never rejects: while Redis is away its connection says so. */
  async look(): Promise<void> {
    try {
      const servers = await this.#ask();
      this.intake.report('redis', this.#faultOf(servers));
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
