import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePorts } from '@tranche/testing';

/** Starts `service-in-a-process.mjs`, and resolves when the service has started. */
export async function startService(): Promise<{ child: ChildProcess; managementUrl: string }> {
  const [port] = await freePorts();
  const child = fork(join(__dirname, 'service-in-a-process.mjs'), {
    env: { ...process.env, MANAGEMENT_PORT: String(port), BIND_ADDRESS: '127.0.0.1' },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  await until(child, 'started');
  return { child, managementUrl: `http://127.0.0.1:${port}` };
}

/** Resolves when the service sends this message; rejects if it exits before. */
export async function until(child: ChildProcess, message: string): Promise<void> {
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`it ended with ${code}`)));
  const said = new Promise<void>((resolve) => child.on('message', (one) => one === message && resolve()));
  await Promise.race([said, ended]);
  ended.catch(() => undefined);
}
