import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { waitFor } from '@tranche/testing';

const ours = new Set<ChildProcess>();
process.on('exit', () => ours.forEach((child) => child.kill('SIGKILL')));

/**
 * A broker or store that can be killed and restarted. It is in our process group and ends with us: by `kill`, at our exit, or by the guard
 * of tools/infra/processes.mjs if we are killed.
 */
export class OwnProcess {
  #child: ChildProcess | undefined;
  #lines: string[] = [];
  #ended = Promise.resolve();

  constructor(
    private readonly name: string,
    private readonly port: number,
  ) {}

  async start(command: string, args: readonly string[]): Promise<void> {
    const lines = (this.#lines = [] as string[]);
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes: Buffer) => void (lines.push(bytes.toString('utf8')) > 20 && lines.shift()));
    ours.add(child);
    this.#child = child;
    this.#ended = new Promise<void>((resolve) => {
      child.once('error', (error) => resolve(void lines.push(error.message)));
      child.once('close', () => resolve());
    }).then(() => void ours.delete(child));
    await waitFor(() => !ours.has(child) || takesConnections(this.port), {
      timeoutMs: 180_000,
      what: `${this.name} on port ${this.port}`,
    });
    if (!ours.has(child)) throw new Error(`${this.name} ended\n${lines.join('')}`);
  }

  get state(): string {
    return [`${this.name} on port ${this.port} ${this.isRunning ? 'runs' : 'does not run'}`, ...this.#lines.slice(-5)]
      .join('\n')
      .trimEnd();
  }

  get isRunning(): boolean {
    return this.#child !== undefined && ours.has(this.#child);
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Sends the signal without waiting for its effect. */
  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#ended;
  }
}

async function takesConnections(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(1_000) });
    return true;
  } catch {
    return false;
  } finally {
    socket.on('error', () => undefined).destroy();
  }
}
