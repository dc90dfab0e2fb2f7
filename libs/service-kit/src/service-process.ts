import type { IncomingMessage, ServerResponse } from 'node:http';
import { NestFactory } from '@nestjs/core';
import type { DynamicModule, INestApplicationContext, Type } from '@nestjs/common';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { within } from '@tranche/runtime';
import { Health, Metrics } from './health-and-metrics.js';
import { httpAdapter, HTTP_LIMITS, type HttpLimits, type HttpOptions } from './http-adapter.js';
import type { KitConfig } from './kit.config.js';
import { KitModule, ServiceLifetime } from './kit.module.js';
import { standardOutput } from './log-output.js';
import { createLogger, type ServiceLogger, nestLogger } from './logger.js';
import { ManagementServer, respondWithProblem } from './management-server.js';
import { Problem } from './problem.js';
import { ProblemFilter } from './problem.filter.js';
import { requestValidation, type RequestValidationOptions } from './request-validation.js';
import { startTracing } from './tracing.js';

const SHUTDOWN_TIMEOUT_MS = 25_000;
/** A stop waits so long for the collector of spans, because the exporter would retry without end. Milliseconds. */
const LAST_SPANS_MS = 2_000;

export interface ServiceDefinition<C extends object> {
  name: string;
  Config: Type<C>;
  module: (config: C) => Type | DynamicModule;
  /**
   * If true, there are no spans and no trace ids in log lines without an OTLP endpoint: below Node.js 24, following a trace through every
   * promise costs a busy service a fifth of its time. Messages keep their trace context either way.
   */
  tracesOnlyWhenExported?: boolean;
  /** Port of the HTTP API; 0 chooses a free one. Without it, controllers are served on the management port. */
  port?: (config: C) => number;
  managementPort: (config: C) => number;
  /** Default of SHUTDOWN_TIMEOUT_MS, if longer than the general one. */
  shutdownTimeoutMs?: (config: C) => number;
  limits?: Partial<HttpLimits>;
  http?: HttpOptions;
  validation?: RequestValidationOptions;
  /** Called before routes are registered, for content types, hooks and CORS. */
  prepare?: (app: NestFastifyApplication, config: C) => void | Promise<void>;
  /** Called after the modules are initialized; the strategies listen before the public port opens. */
  strategies?: (app: INestApplicationContext) => CustomTransportStrategy[];
}

export class ShutdownTimeoutError extends Error {}

/** One service from its first port to its last. `runService` runs it in its own process; tests run it in theirs. */
export class ServiceProcess<C extends object> {
  readonly health = new Health();
  readonly metrics: Metrics;
  readonly #lifetime = new ServiceLifetime();
  readonly #management: ManagementServer;
  readonly #strategies: CustomTransportStrategy[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #app?: NestFastifyApplication;
  #stopTracing?: () => Promise<void>;
  #started = false;
  #stopped?: Promise<void>;
  #step = '';
  port?: number;
  managementPort?: number;

  constructor(
    readonly definition: ServiceDefinition<C>,
    readonly config: C,
    readonly kit: KitConfig,
    readonly log: ServiceLogger = createLogger({ name: definition.name, level: kit.logLevel }),
  ) {
    this.metrics = new Metrics(definition.name);
    const build = this.metrics.gauge({
      name: 'tranche_build_info',
      help: 'Always 1; which build runs (BUILD_VERSION), and on which Node.js',
      labelNames: ['version', 'node'],
    });
    build.set({ version: kit.buildVersion, node: process.version }, 1);
    this.metrics.counter({
      name: 'tranche_log_lines_dropped_total',
      help: 'Log lines that were dropped because whoever reads stdout did not keep up',
      labelNames: ['level'],
      collect() {
        this.reset();
        for (const [level, lines] of standardOutput().dropped) this.inc({ level }, lines);
      },
    });
    this.#management = new ManagementServer(
      this.health,
      this.metrics,
      definition.port === undefined ? (...exchange) => this.#answerOnManagementPort(...exchange) : undefined,
    );
    this.health.addReadiness('service', () => {
      if (this.#lifetime.stopping.aborted) return 'stopping';
      return this.#started ? undefined : 'starting';
    });
  }

  get isStopping(): boolean {
    return this.#lifetime.stopping.aborted;
  }

  async start(): Promise<void> {
    const { definition, config, kit, log } = this;
    this.managementPort = await this.#management.listen(
      definition.managementPort(config),
      kit.managementBindAddress ?? kit.bindAddress,
    );
    log.info({ managementPort: this.managementPort }, `${definition.name} is starting`);
    if (kit.otlpEndpoint !== undefined || !definition.tracesOnlyWhenExported)
      this.#stopTracing = (await startTracing(definition.name, kit.otlpEndpoint)).stop;
    this.#lifetime.stopping.throwIfAborted();
    const app = await this.#createApp();
    this.#app = app;
    // A stop during the creation had no app to close.
    if (this.isStopping) await app.close();
    this.#lifetime.stopping.throwIfAborted();
    await definition.prepare?.(app, config);
    await app.init();
    this.#lifetime.stopping.throwIfAborted();
    await this.#listenToStrategies(app);
    if (definition.port !== undefined) {
      await app.listen(definition.port(config), kit.bindAddress);
      this.port = (app.getHttpServer().address() as { port: number }).port;
    } else {
      await app.getHttpAdapter().getInstance().ready();
    }
    this.#started = true;
    log.info(
      { port: this.port, managementPort: this.managementPort, startedInMs: Math.round(performance.now()) },
      `${definition.name} has started`,
    );
  }

  #answerOnManagementPort(request: IncomingMessage, response: ServerResponse): void {
    if (this.#app !== undefined && this.#started && !this.isStopping) {
      const closed = new Promise<void>((resolve) => response.once('close', resolve));
      this.#underWay.add(closed);
      void closed.then(() => this.#underWay.delete(closed));
      this.#app.getHttpAdapter().getInstance().routing(request, response);
      return;
    }
    const detail = `The service is ${this.isStopping ? 'stopping' : 'starting'}.`;
    const problem = new Problem({ status: 503, code: 'unavailable', detail });
    respondWithProblem(response, problem, request.url);
  }

  /** Order: not ready, drain the strategies, finish HTTP requests, `onApplicationShutdown` hooks, management port. */
  stop(reason: string): Promise<void> {
    this.#stopped ??= this.#stopInOrder(reason);
    return this.#stopped;
  }

  async #stopInOrder(reason: string): Promise<void> {
    this.log.info({ reason }, `${this.definition.name} is stopping`);
    this.#lifetime.stop(new Error(`the service is stopping (${reason})`));
    const timeoutMs = this.#shutdownTimeoutMs;
    const tooLate = () => new ShutdownTimeoutError(`${this.#step} took longer than ${timeoutMs} ms`);
    await within(timeoutMs, this.#closeAll(), tooLate);
    this.log.info({}, `${this.definition.name} has stopped`);
  }

  get #shutdownTimeoutMs(): number {
    const { kit, definition, config } = this;
    return kit.shutdownTimeoutMs ?? Math.max(SHUTDOWN_TIMEOUT_MS, definition.shutdownTimeoutMs?.(config) ?? 0);
  }

  async #closeAll(): Promise<void> {
    this.#step = 'draining the consumers';
    await Promise.all(this.#strategies.map((strategy) => strategy.close() as unknown));
    this.#step = 'finishing requests and closing connections';
    await Promise.all(this.#underWay);
    await this.#closeHttp();
    this.#step = 'sending the last spans';
    await this.#sendLastSpans();
    this.#step = 'closing the management port';
    await this.#management.close();
  }

  /** A collector that is away must not make a failure of a stop that did all its work: its spans are given up. */
  async #sendLastSpans(): Promise<void> {
    const tooLate = () => new Error(`the collector did not take them within ${LAST_SPANS_MS} ms`);
    try {
      await within(LAST_SPANS_MS, Promise.resolve(this.#stopTracing?.()), tooLate);
    } catch (error) {
      this.log.warn({ err: error }, 'the last spans were not sent');
    }
  }

  /** Node.js stops its timeouts on close, so a client that is still sending a request would delay the shutdown. */
  async #closeHttp(): Promise<void> {
    const { requestTimeoutMs } = this.#limits;
    const server = this.#app?.getHttpServer();
    const overdue = setTimeout(() => server?.closeAllConnections(), requestTimeoutMs);
    try {
      await this.#app?.close();
    } finally {
      clearTimeout(overdue);
    }
  }

  get #limits(): HttpLimits {
    return { ...HTTP_LIMITS, ...this.definition.limits };
  }

  async #createApp(): Promise<NestFastifyApplication> {
    const { definition, config, log, health, metrics } = this;
    const kit = KitModule.of({
      config,
      Config: definition.Config,
      settings: this.kit,
      log,
      health,
      metrics,
      lifetime: this.#lifetime,
    });
    const root = { module: class RootModule {}, imports: [kit, definition.module(config)] };
    const adapter = httpAdapter(this.#limits, definition.http ?? {}, {
      log,
      metrics,
      stopping: this.#lifetime.stopping,
      isProxy: this.kit.isProxy,
    });
    const app = await NestFactory.create<NestFastifyApplication>(root, adapter, {
      logger: nestLogger(log),
      abortOnError: false,
      bodyParser: false,
    });
    app.useGlobalFilters(new ProblemFilter(log));
    app.useGlobalPipes(requestValidation(definition.validation));
    return app;
  }

  async #listenToStrategies(app: NestFastifyApplication): Promise<void> {
    for (const strategy of this.definition.strategies?.(app) ?? []) {
      this.#strategies.push(closingOnce(strategy));
      app.connectMicroservice({ strategy }, { inheritAppConfig: true });
    }
    if (this.#strategies.length > 0) await app.startAllMicroservices();
  }
}

/** Nest closes the strategies again, later. */
function closingOnce(strategy: CustomTransportStrategy): CustomTransportStrategy {
  const close = strategy.close.bind(strategy) as () => unknown;
  let closed: Promise<unknown> | undefined;
  strategy.close = () => (closed ??= Promise.resolve().then(close));
  return strategy;
}
