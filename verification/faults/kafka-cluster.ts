import { execFile } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import kafkajs, { type Admin } from 'kafkajs';
import { waitFor } from '@tranche/testing';
import { OwnProcess } from './own-process.js';

/** A run's records fit into this, and the ballast fills the rest quickly. */
const DISK_MEGABYTES = 256;
const STOPS_WITHIN_MS = 60_000;
/** On a busy machine a broker needs this long to start and catch up. */
const IN_SYNC_WITHIN_MS = 180_000;

export interface ClusterLines {
  java: string[];
  clusterId: string;
  /** The last one of three brokers gets a small disk; a soak writes more than that holds. */
  hasSmallDisk: boolean;
  brokers: { port: number; settings: Record<string, string> }[];
}

/**
 * One broker or three of a KRaft cluster, each also a controller. With a small disk, the last one of three keeps its records on a 256 MB tmpfs in
 * its own mount namespace. The tmpfs ends with the broker, so it restarts with an empty disk; its controller log is elsewhere and survives. Without the
 * right to mount, there is no small disk.
 */
export class KafkaCluster {
  readonly #processes: OwnProcess[];
  #folders: string[] = [];
  #folder = '';
  /** The broker with the small disk. */
  readonly small: number | undefined;

  constructor(
    private readonly parentFolder: string,
    private readonly lines: ClusterLines,
  ) {
    this.#processes = lines.brokers.map(({ port }, at) => new OwnProcess(`broker ${at + 1}`, port));
    const mayMount = process.getuid?.() === 0 && process.platform === 'linux';
    this.small = mayMount && this.size > 1 && lines.hasSmallDisk ? this.size - 1 : undefined;
  }

  get size(): number {
    return this.#processes.length;
  }

  /** Starts empty brokers: with hundreds of topics of earlier runs they become slow. */
  async start(): Promise<void> {
    await this.stop();
    if (this.#folder !== '') rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = mkdtempSync(join(this.parentFolder, 'kafka-'));
    this.#folders = this.lines.brokers.map(({ settings }, at) => {
      const folder = join(this.#folder, String(at + 1));
      mkdirSync(join(folder, 'records'), { recursive: true });
      const lines = Object.entries(settings).map(([name, value]) => `${name}=${value.replace('FOLDER', folder)}\n`);
      writeFileSync(join(folder, 'properties'), lines.join(''));
      return folder;
    });
    for (const folder of this.#folders) await promisify(execFile)('java', this.#format(folder));
    await Promise.all(this.#processes.map((_broker, at) => this.startBroker(at)));
    // Topics can have all their replicas once all brokers have joined.
    if (this.size > 1)
      await this.#until('all brokers to be there', async (admin) => {
        return (await admin.describeCluster()).brokers.length === this.size;
      });
  }

  /** Starts a broker on its existing log. */
  async startBroker(at = 0): Promise<void> {
    const folder = this.#folders[at]!;
    const kafka = [...this.lines.java, 'kafka.Kafka', join(folder, 'properties')];
    if (at !== this.small) return this.#processes[at]!.start('java', kafka);
    const mounted = `mount -t tmpfs -o size=${DISK_MEGABYTES}m tmpfs "$0/records" && java ${quoted(this.#format(folder))} >&2 && exec java ${quoted(kafka)}`;
    await this.#processes[at]!.start('unshare', ['--mount', 'sh', '-c', mounted, folder]);
  }

  killBroker(at = 0): Promise<void> {
    return this.#processes[at]!.kill();
  }

  /** Stops the broker as an operator does, so it first hands its partitions over. */
  async stopBroker(at: number): Promise<void> {
    this.signal(at, 'SIGTERM');
    await this.#ends(at);
  }

  signal(at: number, name: NodeJS.Signals): void {
    this.#processes[at]!.signal(name);
  }

  /** Fills the small disk; resolves when the broker has noticed and ended. */
  async fillDisk(): Promise<void> {
    const at = this.small!;
    const ballast = openSync(`/proc/${this.#processes[at]!.pid}/root${this.#folders[at]!}/records/ballast`, 'w');
    const megabyte = Buffer.alloc(1024 * 1024);
    try {
      for (;;) writeSync(ballast, megabyte);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(ballast);
    }
    await this.#ends(at);
  }

  /** Finds the active controller in the quorum state of the newest epoch. */
  controller(): number {
    const votes = this.#folders.flatMap((folder) => {
      const file = join(folder, 'controller/__cluster_metadata-0/quorum-state');
      const { leaderId, leaderEpoch } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;
      return leaderId! > 0 ? [{ at: leaderId! - 1, epoch: leaderEpoch! }] : [];
    });
    const [newest] = votes.sort((one, other) => other.epoch - one.epoch);
    if (newest === undefined) throw new Error('no broker knows an active controller');
    return newest.at;
  }

  /** Resolves at once for a single broker, which has nothing to catch up with. */
  async allInSync(): Promise<void> {
    if (this.size === 1) return;
    await this.#until('all replicas to be in sync', async (admin) => {
      const { topics } = await admin.fetchTopicMetadata();
      // Metadata of all topics may include topics without a leader (decision 0041).
      const isWhole = ({ partitions }: (typeof topics)[number]) =>
        partitions.length > 0 &&
        partitions.every(({ leader, isr, replicas }) => leader >= 0 && isr.length === replicas.length);
      return topics.every(isWhole);
    });
  }

  get state(): string {
    return this.#processes.map(({ state }) => state).join('\n');
  }

  async stop(): Promise<void> {
    await Promise.all(this.#processes.map((broker) => broker.kill()));
  }

  async #ends(at: number): Promise<void> {
    const hasEnded = () => !this.#processes[at]!.isRunning;
    await waitFor(hasEnded, { timeoutMs: STOPS_WITHIN_MS, what: `broker ${at + 1} to end` });
  }

  async #until(what: string, isSo: (admin: Admin) => Promise<boolean>): Promise<void> {
    const brokers = this.lines.brokers.map(({ port }) => `127.0.0.1:${port}`);
    const kafka = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING });
    const ask = async () => {
      const admin = kafka.admin({ retry: { retries: 0 } });
      try {
        await admin.connect();
        return await isSo(admin);
      } finally {
        await admin.disconnect().catch(() => undefined);
      }
    };
    await waitFor(ask, { timeoutMs: IN_SYNC_WITHIN_MS, pollMs: 500, what });
  }

  #format(folder: string): string[] {
    const tool = ['kafka.tools.StorageTool', 'format', '--ignore-formatted', '-t', this.lines.clusterId];
    return [...this.lines.java, ...tool, '-c', join(folder, 'properties')];
  }
}

const quoted = (args: readonly string[]): string => args.map((argument) => `'${argument}'`).join(' ');
