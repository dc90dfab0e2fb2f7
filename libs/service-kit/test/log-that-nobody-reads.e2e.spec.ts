import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { startService, until } from './service-process-of-its-own.js';

let child: ChildProcess;
afterEach(() => child.kill('SIGKILL'));

it('answers its health checks while nobody reads its log, says what it dropped, and ends on SIGTERM', async () => {
  const started = await startService();
  child = started.child;
  const logged = until(child, 'logged');
  child.send({ lines: 20_000, level: 'info' });
  await logged;
  expect((await fetch(`${started.managementUrl}/health/live`)).status).toBe(200);
  const metrics = await (await fetch(`${started.managementUrl}/metrics`)).text();
  expect(metrics).toMatch(/tranche_log_lines_dropped_total\{level="info",service="service-in-a-process"\} [1-9]\d+/);
  const draining = until(child, 'draining');
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await draining;
  child.send({ drained: true });
  expect(await exited).toEqual([0, null]);
});
