import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from 'redis';
import { TOPICS } from '@tranche/contracts';
import { createKafkaClient, ensureTopics, waitForKafka, type KafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { repositoryRoot, startApp, startSimulator, waitFor, type AppName, type RunningApp } from '@tranche/testing';
import { ask } from '../ask.js';
import type { Random } from '../simulation/random.js';
import type { Failpoint } from './failpoints/failpoints.js';
import type { ClockJump } from './failpoints/strike.js';
import type { Infrastructure } from './infrastructure.js';
import { openSurroundings, type RunSettings, type Surroundings, type Through } from './surroundings.js';

/** The bytes at these points name no order, so they cannot be limited to a run's orders. */
const ORDERLESS = new Set(['during-commit', 'before-the-ok']);
/** Milliseconds within which a Kafka that was just started must answer. */
const KAFKA_ANSWERS_MS = 60_000;
const READY_MS = 180_000;

export interface StageOptions {
  infrastructure: Infrastructure;
  topicPrefix: string;
  orderPrefix: string;
  random: Random;
  settings?: RunSettings;
}

export interface AppOptions {
  failpoints?: readonly Omit<Failpoint, 'order'>[];
  /** The process's wall clock jumps when it gets SIGUSR2. */
  clockJump?: ClockJump;
  through?: Through;
  env?: Record<string, string>;
  /** Root of the built clone whose app it is (this one). */
  root?: string | undefined;
}

/** The processes of one run: a simulator, notification-ingest and the scenario's gateways, with the faults that can be played on them. */
export class Stage {
  readonly random: Random;
  readonly infrastructure: Infrastructure;
  readonly proxies: Surroundings['proxies'];
  readonly apps: RunningApp[] = [];
  ingest: RunningApp | undefined;
  kills = 0;
  /** Points at which a process really died. */
  readonly diedAt = new Set<string>();
  /** Points that no process passed in time, so their fault was not played. */
  readonly missed: string[] = [];
  /** Services that ended unexpectedly, with their exit code. */
  readonly crashed: string[] = [];
  /** Wall-clock milliseconds at which faults ended. */
  readonly faultsEndedAtMs: number[] = [];

  private constructor(
    readonly options: StageOptions,
    readonly client: KafkaClient,
    readonly simulator: RunningApp,
    readonly surroundings: Surroundings,
  ) {
    this.apps.push(simulator);
    ({ random: this.random, infrastructure: this.infrastructure } = options);
    this.proxies = surroundings.proxies;
  }

  /** Opens topics, simulator and notification-ingest; the scenario starts gateways. */
  static async open(options: StageOptions): Promise<Stage> {
    const { infrastructure, topicPrefix, settings } = options;
    const client = createKafkaClient({ brokers: infrastructure.brokers.split(','), clientId: 'faults' }, silentLog);
    const surroundings = await openSurroundings(infrastructure, topicPrefix, settings);
    let simulator: RunningApp | undefined;
    try {
      await waitForKafka(client, { log: silentLog, signal: AbortSignal.timeout(KAFKA_ANSWERS_MS) });
      const topics = { prefix: topicPrefix, definitions: Object.values(TOPICS), ...infrastructure.replication };
      await ensureTopics(client, { ...topics, log: silentLog });
      simulator = await startSimulator(surroundings.simulator);
      const stage = new Stage(options, client, simulator, surroundings);
      await stage.startIngest();
      return stage;
    } catch (error) {
      await surroundings.close();
      await simulator?.stop('SIGKILL');
      throw error;
    }
  }

  /** Resolves when the process runs; `ready` waits until it works. */
  gateway(options: AppOptions = {}): Promise<RunningApp> {
    return this.start('payment-gateway', this.surroundings.gateway(options.through ?? []), options);
  }

  /** Starts notification-ingest at the same address as its predecessor. */
  async startIngest(options: AppOptions = {}): Promise<RunningApp> {
    this.ingest = await this.start('notification-ingest', this.surroundings.ingest(options.through), options);
    return this.ingest;
  }

  async readyGateway(options: AppOptions = {}): Promise<RunningApp> {
    const gateway = await this.gateway(options);
    await this.ready(gateway);
    return gateway;
  }

  /** @throws with its last log lines if it ends, or takes too long */
  async ready(app: RunningApp): Promise<void> {
    const isReady = async () => app.killed || (await fetch(`${app.managementUrl}/health/ready`)).ok;
    await waitFor(isReady, { timeoutMs: READY_MS, pollMs: 50, what: 'a service to be ready' }).catch(
      (error: unknown) => {
        throw new Error(`${(error as Error).message}\n${app.logs.slice(-15).join('\n')}`);
      },
    );
    if (app.killed) throw new Error(`a service ended instead of being ready\n${app.logs.slice(-15).join('\n')}`);
  }

  /** Resolves to true if the process killed itself at the point within the time. */
  async dies(app: RunningApp, point: string, timeoutMs: number): Promise<boolean> {
    const exit = await Promise.race([app.exited, delay(timeoutMs, undefined, { ref: false })]);
    if (exit === undefined) {
      this.missed.push(point);
      return false;
    }
    if (exit !== 'SIGKILL')
      throw new Error(`a service ended with ${exit} instead of dying at ${point}\n${app.logs.slice(-15).join('\n')}`);
    await waitFor(() => app.logs.includes(`failpoint ${point} kill`), { what: `the line of ${point}` });
    this.kills++;
    this.diedAt.add(point);
    return true;
  }

  /**
   * Resolves to true if the process stopped at the point within the time; then the caller lets it go on. One that stops there later goes on
   * at once, because no caller would wake it.
   */
  async stops(app: RunningApp, point: string, timeoutMs: number): Promise<boolean> {
    const isThere = () => app.logs.includes(`failpoint ${point} stop`) && isStopped(app.pid);
    return waitFor(isThere, { timeoutMs, pollMs: 5, what: point }).then(
      () => true,
      () => {
        this.missed.push(point);
        const late = { timeoutMs: Infinity, pollMs: 50, what: point };
        void waitFor(() => app.killed || isThere(), late).then(() => app.killed || this.goOn(app));
        return false;
      },
    );
  }

  goOn(app: RunningApp): void {
    process.kill(app.pid, 'SIGCONT');
  }

  async kill(app: RunningApp): Promise<void> {
    if (app.killed) return;
    await app.stop('SIGKILL');
    this.kills++;
  }

  /** Marks the moment from which recovery is measured. */
  faultEnded(): void {
    this.faultsEndedAtMs.push(Date.now());
  }

  /** Makes the platform misbehave for this run's orders; see the simulator's README. */
  async fault(fault: object, match: object = {}): Promise<void> {
    const body = { match: { orderPrefix: this.options.orderPrefix, ...match }, fault };
    await ask(`${this.simulator.url}/simulator/faults`, { body });
  }

  async noFaults(): Promise<void> {
    await fetch(`${this.simulator.url}/simulator/faults`, { method: 'DELETE' });
  }

  /** Runs FLUSHALL; on a Redis that others use too, deletes only this run's keys. */
  async flushRedis(): Promise<void> {
    const redis = await createClient({ url: this.infrastructure.redisUrl }).connect();
    const script = `for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end`;
    if (this.infrastructure.has('redis')) await redis.flushAll();
    else await redis.eval(script, { arguments: [`${this.options.topicPrefix}*`] });
    await redis.close();
  }

  lastLines(count: number): string[] {
    return this.apps.flatMap((app, at) => app.logs.slice(-count).map((line) => `${at}: ${line}`));
  }

  async close(): Promise<void> {
    await Promise.all(this.apps.map((app) => app.stop('SIGKILL')));
    await this.surroundings.close();
  }

  /** Resolves when the process runs; it belongs to the run, so it may not end by itself. */
  async start(
    name: AppName,
    settings: Record<string, string>,
    { env = {}, failpoints, clockJump, root: otherRoot }: AppOptions = {},
  ): Promise<RunningApp> {
    const isUnbundled = failpoints !== undefined || clockJump !== undefined || 'SECOND_OWNER' in env;
    const root = pathToFileURL(`${repositoryRoot()}/`).href;
    const { orderPrefix } = this.options;
    const armed = failpoints?.map((one) => ({ ...one, order: ORDERLESS.has(one.point) ? '' : orderPrefix })) ?? [];
    // All failpoints are planted in the service, and these are armed for the run's orders.
    const planted = isUnbundled && {
      NODE_OPTIONS: `--import=${root}verification/dist/faults/failpoints/arm.js`,
      FAILPOINTS: JSON.stringify({ root, armed, clockJump }),
    };
    const options = { readyPath: undefined, isUnbundled, root: otherRoot };
    const app = await startApp(name, { ...settings, ...env, ...planted }, options);
    this.apps.push(app);
    void app.exited.then((exit) => {
      // SIGTERM kills a process that we stop before it has installed its handler.
      if (exit !== 0 && exit !== 'SIGKILL' && exit !== 'SIGTERM') this.crashed.push(`${name} ended with ${exit}`);
    });
    return app;
  }
}

/** Without /proc, the log line must suffice. */
function isStopped(pid: number): boolean {
  try {
    return /\) [Tt] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}
