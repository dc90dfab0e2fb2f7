import { Inject, Injectable } from '@nestjs/common';
import { errorText } from '@tranche/runtime';
import { InjectRedis, Metrics, ServiceLogger, RedisClient } from '@tranche/service-kit';
import { GatewayConfig } from '../gateway.config.js';
import { RepeatedWork } from '../clock.js';
import { CommandGate } from './command-gate.service.js';
import { faultOfRedis, readRedisReport, type RedisReport } from './redis-report.js';

/**
 * Checks each master of Redis regularly and after each connection: it must not evict keys and, in production, must write an append-only file, because
 * the index may hold records that brokers lost in a power failure. While a master does not comply, no commands are taken (R14).
 */
@Injectable()
export class RedisGuard extends RepeatedWork {
  protected readonly everyMs = 10_000;
  readonly #evicted;

  constructor(
    @InjectRedis() private readonly redis: RedisClient,
    private readonly commandGate: CommandGate,
    private readonly log: ServiceLogger,
    @Inject(GatewayConfig) private readonly config: Pick<GatewayConfig, 'topics'>,
    metrics: Metrics,
  ) {
    super();
    this.#evicted = metrics.gauge({
      name: 'tranche_redis_evicted_keys',
      help: 'Keys that the Redis of the index has evicted since it was started: none may be',
    });
  }

  /** Rejects while Redis is unreachable, may lose entries of the index by its settings, or does not report its settings. */
  async assertUsable(): Promise<void> {
    const fault = this.#faultOf(await this.#reports());
    if (fault !== undefined) throw new Error(fault);
  }

  override onApplicationBootstrap(): void {
    super.onApplicationBootstrap();
    this.redis.on('ready', this.#ask);
    // Since `assertUsable` the start may have waited for Kafka, and Redis may be another server by now.
    this.#ask();
  }

  override onModuleDestroy(): void {
    super.onModuleDestroy();
    this.redis.off('ready', this.#ask);
  }

  readonly #ask = (): void => void this.run();

  /** Never rejects: an unreachable Redis is reported by its connection. */
  protected async run(): Promise<void> {
    try {
      const servers = await this.#reports();
      this.commandGate.report('redis', this.#faultOf(servers));
      this.#evicted.set(servers.reduce((sum, { evictedKeys }) => sum + evictedKeys, 0));
    } catch (error) {
      this.log.debug({ error: errorText(error) }, 'Redis could not be asked for its settings');
    }
  }

  async #reports(): Promise<RedisReport[]> {
    await this.redis.sendToEach(['PING']);
    const answers = await this.redis.sendToEach<string>(['INFO']).catch(() => [{ address: '', answer: '' }]);
    return answers.map(({ address, answer }) => readRedisReport(address, answer));
  }

  #faultOf(servers: readonly RedisReport[]): string | undefined {
    return faultOfRedis(servers, { isProduction: this.config.topics === 'check' });
  }
}
