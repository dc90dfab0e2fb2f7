/**
 * The watchdog of tools/infra/processes.mjs ends processes and removes folders when stdin closes, so also when its owner was killed. Its orders
 * come from stdin, one per line:
 *   process PID · gone PID · container NAME · folder PATH
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning, signalGroup } from './processes.mjs';

const GRACE_MS = 5_000;
const processes = new Set();
const containers = new Set();
const folders = new Set();

// The owner decides when everything ends, so the guard ignores signals for the whole terminal.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

const orders = {
  process: (pid) => processes.add(Number(pid)),
  gone: (pid) => processes.delete(Number(pid)),
  container: (name) => containers.add(name),
  folder: (path) => folders.add(path),
};

for await (const line of createInterface({ input: process.stdin })) {
  const [order, ...rest] = line.split(' ');
  orders[order]?.(rest.join(' '));
}

for (const pid of processes) signalGroup(pid, 'SIGTERM');
const deadline = performance.now() + GRACE_MS;
while ([...processes].some((pid) => isRunning(-pid)) && performance.now() < deadline) await delay(25);
for (const pid of processes) signalGroup(pid, 'SIGKILL');
for (const name of containers) spawnSync('docker', ['rm', '--force', '--volumes', name], { stdio: 'ignore' });
for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
