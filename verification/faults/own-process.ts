import { spawn, type ChildProcess } from 'node:child_process';
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
      child.once('error', (error) => {
        lines.push(error.message);
        resolve();
      });
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

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#child?.kill(signal);
    await this.#ended;
  }
}

/** Runs a command to its end. @throws with its output if it fails */
export async function runToEnd(command: string, args: readonly string[]): Promise<void> {
  const lines: string[] = [];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => lines.push(bytes.toString('utf8')));
  const code = await new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => resolve(exitCode ?? signal ?? 'nothing'));
  });
  if (code !== 0) throw new Error(`${command} ended with ${code}\n${lines.join('')}`);
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 });
    const settle = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket
      .once('connect', () => settle(true))
      .once('error', () => settle(false))
      .once('timeout', () => settle(false));
  });
}
