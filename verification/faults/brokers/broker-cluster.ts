import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@tranche/testing';
import type { CommandLines } from '../infrastructure.js';
import { OwnProcess, runToEnd } from '../own-process.js';

/** A run's records fit into this, and the ballast fills the rest quickly. */
const DISK_MEGABYTES = 256;
const STOPS_WITHIN_MS = 60_000;

type Lines = Required<Pick<CommandLines['kafka'], 'java' | 'clusterId' | 'cluster'>>;

/**
 * Brokers of one KRaft cluster, each also a controller. The last one keeps its records on a 256 MB tmpfs in its own mount namespace. The
 * tmpfs ends with the broker, so it restarts with an empty disk; its controller log is elsewhere and survives. Without the right to mount,
 * there is no small disk.
 */
export class BrokerCluster {
  readonly #processes: OwnProcess[];
  #folders: string[] = [];
  #folder = '';
  readonly #small: number | undefined;

  constructor(
    private readonly parentFolder: string,
    private readonly lines: Lines,
  ) {
    this.#processes = lines.cluster.map(({ port }, at) => new OwnProcess(`broker ${at + 1}`, port));
    this.#small = process.getuid?.() === 0 && process.platform === 'linux' ? lines.cluster.length - 1 : undefined;
  }

  get size(): number {
    return this.#processes.length;
  }

  get withSmallDisk(): number | undefined {
    return this.#small;
  }

  async start(): Promise<void> {
    await this.stop();
    if (this.#folder !== '') rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = mkdtempSync(join(this.parentFolder, 'cluster-'));
    this.#folders = this.lines.cluster.map(({ settings }, at) => {
      const folder = join(this.#folder, String(at + 1));
      mkdirSync(join(folder, 'records'), { recursive: true });
      const lines = Object.entries(settings).map(([name, value]) => `${name}=${value.replace('FOLDER', folder)}\n`);
      writeFileSync(join(folder, 'properties'), lines.join(''));
      return folder;
    });
    for (const folder of this.#folders) await runToEnd('java', this.#format(folder));
    await Promise.all(this.#processes.map((_broker, at) => this.startBroker(at)));
  }

  /** Starts a broker on its existing log. */
  async startBroker(at: number): Promise<void> {
    const folder = this.#folders[at]!;
    const kafka = [...this.lines.java, 'kafka.Kafka', join(folder, 'properties')];
    if (at !== this.#small) return this.#processes[at]!.start('java', kafka);
    const mounted = `mount -t tmpfs -o size=${DISK_MEGABYTES}m tmpfs "$0/records" && java ${quoted(this.#format(folder))} >&2 && exec java ${quoted(kafka)}`;
    await this.#processes[at]!.start('unshare', ['--mount', 'sh', '-c', mounted, folder]);
  }

  async killBroker(at: number): Promise<void> {
    await this.#processes[at]!.kill();
  }

  /** Stops the broker as an operator does, so it first hands its partitions over. */
  async stopBroker(at: number): Promise<void> {
    const broker = this.#processes[at]!;
    broker.signal('SIGTERM');
    await waitFor(() => !broker.isRunning, { timeoutMs: STOPS_WITHIN_MS, what: `broker ${at + 1} to stop` });
  }

  freeze(at: number): void {
    this.#processes[at]!.signal('SIGSTOP');
  }

  goOn(at: number): void {
    this.#processes[at]!.signal('SIGCONT');
  }

  /** Fills the small disk; resolves when the broker has noticed and ended. */
  async fillDisk(): Promise<void> {
    const at = this.#small!;
    const broker = this.#processes[at]!;
    const ballast = openSync(`/proc/${broker.pid}/root${this.#folders[at]!}/records/ballast`, 'w');
    const megabyte = Buffer.alloc(1024 * 1024);
    try {
      for (;;) writeSync(ballast, megabyte);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(ballast);
    }
    await waitFor(() => !broker.isRunning, {
      timeoutMs: STOPS_WITHIN_MS,
      what: 'the broker with the full disk to end',
    });
  }

  /** Finds the active controller in the quorum state of the newest epoch. */
  controller(): number {
    const votes = this.#folders.flatMap((folder) => {
      const file = join(folder, 'controller/__cluster_metadata-0/quorum-state');
      const { leaderId, leaderEpoch } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;
      return leaderId! > 0 ? [{ at: leaderId! - 1, epoch: leaderEpoch! }] : [];
    });
    votes.sort((one, other) => other.epoch - one.epoch);
    if (votes[0] === undefined) throw new Error('no broker knows an active controller');
    return votes[0].at;
  }

  get state(): string {
    return this.#processes.map(({ state }) => state).join('\n');
  }

  async stop(): Promise<void> {
    await Promise.all(this.#processes.map((broker) => broker.kill()));
  }

  #format(folder: string): string[] {
    const tool = ['kafka.tools.StorageTool', 'format', '--ignore-formatted', '-t', this.lines.clusterId];
    return [...this.lines.java, ...tool, '-c', join(folder, 'properties')];
  }
}

const quoted = (args: readonly string[]): string => args.map((argument) => `'${argument}'`).join(' ');
