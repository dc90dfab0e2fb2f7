import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import postgres from 'postgres';
import { createClient } from 'redis';
import { COMMAND_TOPICS, TOPICS } from '@tranche/contracts';
import { topicOffsets } from '@tranche/kafka';
import type { OrderState } from '@tranche/order-journal';
import { repositoryRoot, type ConditionsName, type RunningApp } from '@tranche/testing';
import { LIVE_BYTES } from './live-memory.js';
import { LoadEvents } from './load-events.js';
import { BOUNDS, type Bound, type Measured } from './soak-figures.js';
import type { SoakFault } from './soak-plan.js';
import type { Stage } from './stage.js';
import type { Way } from './surroundings.js';
import type { TopicOffsets } from './traces-reader.js';

/** Longer than a gateway's session, so another one takes its partitions. */
const FROZEN_MS = 9_000;
const NETWORK_MS = 4_000;
const PLATFORM_MS = 8_000;
/** Longer than the other brokers need to lead its partitions. */
const BROKER_AWAY_MS = 8_000;
/** More lines of a service than it prints between two samples. */
const KEPT_LINES = 20_000;
const MOST_WARNINGS = 20;
const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;
const PLATFORM_RULES: readonly object[] = [
  { executeThenReset: true },
  { dropBefore: true },
  { status5xx: { when: 'after', status: 502 } },
  { latencyMsUniform: [800, 2_200] },
  { execCode: '5003' },
];
/** Share of the calls that the platform treats so. */
const PLATFORM_SHARE = 0.5;
const WAYS: readonly Way[] = ['platform', 'ingest', 'kafka', 'redis'];
const NETWORK_CONDITIONS: readonly ConditionsName[] = ['latency', 'blackhole', 'half-open', 'cut', 'reset'];
/** The image's option, and what prints the memory in use. */
const OF_SOAK = {
  NODE_OPTIONS: `--max-semi-space-size=64 --import=${pathToFileURL(join(repositoryRoot(), 'verification/dist/faults/live-memory.js')).href}`,
  PRINT_LIVE_BYTES: '1',
};

interface Life {
  app: RunningApp;
  name: string;
  memory: Measured;
  descriptors: Measured;
}

const measured = (name: string, unit: string, bound: Bound): Measured => ({ name, unit, points: [], bound });

/** The gateways of a soak (two; three with three brokers), and operations (one; two) with its PostgreSQL beside them: the faults that are played on them, and samples of what they hold. */
export class SoakWorld {
  readonly events: LoadEvents;
  readonly #lives: Life[] = [];
  readonly #keys = measured('Redis keys', 'per order', BOUNDS.keys);
  readonly #rows = measured('PostgreSQL rows', 'per order', BOUNDS.rows);
  #gateways: RunningApp[] = [];
  #joined = 0;
  /** The ends of the topics a few seconds ago, or when Kafka last answered. */
  topicEnds: TopicOffsets = {};
  readonly #sql: postgres.Sql;
  readonly #schema: string;
  readonly #beganMs = performance.now();

  constructor(
    private readonly stage: Stage,
    private readonly databaseUrl: string,
    /** Root of a built clone of another release: every second gateway is one of it. */
    private readonly besideRoot?: string,
  ) {
    const { topicPrefix, orderPrefix } = stage.options;
    this.events = new LoadEvents(stage.client, topicPrefix, orderPrefix);
    this.#schema = topicPrefix.replaceAll(/\W/g, '_');
    this.#sql = postgres(databaseUrl, { max: 1, connection: { search_path: this.#schema }, onnotice: () => undefined });
  }

  async start(): Promise<void> {
    const { stage } = this;
    this.events.start();
    await stage.ingest?.stop();
    this.#watch('notification-ingest', await stage.startIngest({ env: OF_SOAK }));
    const { KAFKA_BROKERS = '', KAFKA_TOPIC_PREFIX = '' } = stage.surroundings.ingest();
    const settings = {
      ...{ KAFKA_BROKERS, KAFKA_TOPIC_PREFIX, DATABASE_URL: this.databaseUrl, DATABASE_SCHEMA: this.#schema },
      OPERATORS_FILE: join(repositoryRoot(), 'config/operators.demo.json'),
      // Nobody asks for a decision.
      GATEWAY_URL: 'http://127.0.0.1:9',
    };
    const [gateways, readers] = stage.infrastructure.kafka!.size > 1 ? [3, 2] : [2, 1];
    const operations = async () => stage.ready(await this.#start('operations', settings));
    await Promise.all([
      ...Array.from({ length: gateways }, () => this.join()),
      ...Array.from({ length: readers }, operations),
    ]);
  }

  /** Resolves to more about the fault when it has ended. */
  async play(fault: SoakFault): Promise<string> {
    const { stage } = this;
    const { random, infrastructure } = stage;
    const gateway = random.pick(this.#gateways);
    switch (fault) {
      case 'kill':
        this.#gateways = this.#gateways.filter((one) => one !== gateway);
        await stage.kill(gateway);
        // It recovers while the next one starts.
        void this.join().catch((error: unknown) => void stage.crashed.push(String(error)));
        return 'SIGKILL; the next one starts at once';
      case 'freeze':
        process.kill(gateway.pid, 'SIGSTOP');
        await delay(FROZEN_MS);
        stage.goOn(gateway);
        return `SIGSTOP for ${FROZEN_MS / 1_000} s`;
      case 'join':
        await this.join();
        return `${this.#gateways.length} gateways now`;
      case 'leave':
        this.#gateways = this.#gateways.filter((one) => one !== gateway);
        await gateway.stop();
        return `SIGTERM; ${this.#gateways.length} gateways now`;
      case 'broker': {
        const kafka = infrastructure.kafka!;
        const at = random.below(kafka.size);
        await kafka.killBroker(at);
        // The other brokers take its partitions over while it is away. A single broker has no others, so it starts at once.
        if (kafka.size > 1) await delay(BROKER_AWAY_MS);
        await kafka.startBroker(at);
        await kafka.allInSync();
        return `SIGKILL of one of ${kafka.size}, and started on its log`;
      }
      case 'redis':
        await infrastructure.killRedis();
        await delay(random.between(100, 2_000));
        await infrastructure.startRedis();
        return 'SIGKILL, and started on its append-only file';
      case 'platform': {
        const rule = random.pick(PLATFORM_RULES);
        await stage.fault(rule, { probability: PLATFORM_SHARE, seed: 1 + random.below(1_000_000) });
        await delay(PLATFORM_MS);
        await stage.noFaults();
        return JSON.stringify(rule);
      }
      case 'network': {
        const [way, conditions] = [random.pick(WAYS), random.pick(NETWORK_CONDITIONS)];
        await stage.proxies[way].set(conditions);
        await delay(NETWORK_MS);
        await stage.proxies[way].set('pass');
        return `${conditions} on the way to ${way}`;
      }
    }
  }

  /** Resolves when another gateway works. */
  async join(): Promise<void> {
    const settings = this.stage.surroundings.gateway(['kafka', 'redis']);
    const root = ++this.#joined % 2 === 0 ? this.besideRoot : undefined;
    const gateway = await this.#start('payment-gateway', settings, root);
    this.#gateways.push(gateway);
    await this.stage.ready(gateway);
  }

  /** Memory and connections of a backlog are no leak, so without `isCalm` only keys and rows are counted. */
  async sample(orders: number, isCalm: boolean): Promise<void> {
    void this.#readTopicEnds().catch(() => undefined);
    for (const { app, memory, descriptors } of isCalm ? this.#lives : []) {
      if (app.killed) continue;
      const minute = (performance.now() - this.#beganMs) / MINUTE_MS;
      const [, bytes] = LIVE_BYTES.exec(app.logs.findLast((line) => LIVE_BYTES.test(line)) ?? '') ?? [];
      if (bytes !== undefined) memory.points.push([minute, Number(bytes) / MIB]);
      app.logs.splice(0, app.logs.length - KEPT_LINES);
      const open = descriptorsOf(app.pid, this.stage.proxies.platform.port);
      if (open > 0) descriptors.points.push([minute, open]);
    }
    const [keys, rows] = await Promise.all([this.#countKeys(), this.#countRows()]);
    if (keys !== undefined) this.#keys.points.push([orders, keys]);
    if (rows !== undefined) this.#rows.points.push([orders, rows]);
  }

  get measured(): Measured[] {
    return [...this.#lives.flatMap(({ memory, descriptors }) => [memory, descriptors]), this.#keys, this.#rows];
  }

  /** The last warnings of each process, for who asks why a promise was broken. */
  get warnings(): string[] {
    return this.#lives.flatMap(({ name, app }) =>
      app.logs
        .filter((line) => /"level":"(warn|error|fatal)"/.test(line))
        .slice(-MOST_WARNINGS)
        .map((line) => `${name}: ${line}`),
    );
  }

  /** Reads the orders of operations' read model whose ids begin so. */
  async rowsOf(orderPrefix: string): Promise<Map<string, OrderState>> {
    const rows = await this.#sql<{ key: string; state: OrderState }[]>`
      select key, state from orders where starts_with(order_id, ${orderPrefix})`;
    return new Map(rows.map(({ key, state }) => [key, state]));
  }

  async close(): Promise<void> {
    await this.stage.close();
    await this.events.close();
    await this.#sql.unsafe(`drop schema if exists "${this.#schema}" cascade`).catch(() => undefined);
    await this.#sql.end({ timeout: 5 });
  }

  async #start(
    name: 'payment-gateway' | 'operations',
    settings: Record<string, string>,
    root?: string,
  ): Promise<RunningApp> {
    const app = await this.stage.start(name, { ...settings, ...OF_SOAK }, { root });
    this.#watch(root === undefined ? name : `${name} of the other release,`, app);
    return app;
  }

  #watch(name: string, app: RunningApp): void {
    const numbered = `${name} ${this.#lives.filter((life) => life.name.startsWith(`${name} `)).length + 1}`;
    const memory = measured(`live memory of ${numbered}`, 'MiB per minute', BOUNDS.memory);
    const descriptors = measured(`descriptors of ${numbered}`, 'per minute', BOUNDS.descriptors);
    this.#lives.push({ app, name: numbered, memory, descriptors });
  }

  /** An answer that comes late names earlier offsets, and these are right too. */
  async #readTopicEnds(): Promise<void> {
    const { client, options } = this.stage;
    const topics = [...Object.values(COMMAND_TOPICS), TOPICS.notifications, TOPICS.journal, TOPICS.events];
    const read = async ({ name }: { name: string }) => {
      const offsets = await topicOffsets(client, options.topicPrefix + name);
      return [name, new Map([...offsets].map(([partition, { high }]) => [partition, high]))] as const;
    };
    this.topicEnds = Object.fromEntries(await Promise.all(topics.map(read)));
  }

  async #countKeys(): Promise<number | undefined> {
    const socket = { reconnectStrategy: false as const, connectTimeout: 2_000 };
    const redis = createClient({ url: this.stage.infrastructure.redisUrl, socket }).on('error', () => undefined);
    try {
      return await (await redis.connect()).dbSize();
    } catch {
      return undefined;
    } finally {
      if (redis.isOpen) redis.destroy();
    }
  }

  /** PostgreSQL's own count is cheap, and a little late. */
  async #countRows(): Promise<number | undefined> {
    const [row] = await this.#sql<{ rows: string }[]>`
      select sum(n_live_tup) as rows from pg_stat_user_tables where schemaname = ${this.#schema}`.catch(() => []);
    return row && Number(row.rows);
  }
}

/** Counts all but connections to this port, of which a gateway keeps as many as it has calls in flight. 0 if they cannot be counted. */
function descriptorsOf(pid: number, portLeftOut: number): number {
  try {
    const remote = `:${portLeftOut.toString(16).toUpperCase().padStart(4, '0')}`;
    const columns = readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/));
    const leftOut = new Set(columns.filter((row) => row[2]?.endsWith(remote)).map((row) => `socket:[${row[9]}]`));
    const open = readdirSync(`/proc/${pid}/fd`).map((fd) => targetOf(`/proc/${pid}/fd/${fd}`));
    return open.filter((target) => !leftOut.has(target)).length;
  } catch {
    return 0;
  }
}

/** Empty if the descriptor was closed meanwhile. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
