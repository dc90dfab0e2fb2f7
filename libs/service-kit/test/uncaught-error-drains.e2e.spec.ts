import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { startService, until } from './service-process-of-its-own.js';

let child: ChildProcess;
afterEach(() => child.kill('SIGKILL'));

/** @param waiters number of promises that wait for the rejected one; each of them is rejected too */
async function expectDrained(waiters: number): Promise<void> {
  ({ child } = await startService());
  let printed = '';
  child.stdout!.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const draining = until(child, 'draining');
  child.send({ reject: 'planted', waiters });
  await draining;
  expect(child.exitCode).toBeNull();
  const closed = once(child, 'close');
  child.send({ drained: true });
  expect(await closed).toEqual([1, null]);
  expect(printed.split('"message":"planted"')).toHaveLength(1 + waiters);
  expect(printed).toContain('service-in-a-process has stopped');
}

it('lets what is under way end after an unhandled rejection, and exits with 1', () => expectDrained(1));

it('counts rejections in one turn, as of all who waited for one promise, as one error', () => expectDrained(2));

it('ends at once at a second one', async () => {
  ({ child } = await startService());
  child.stdout!.resume();
  const draining = until(child, 'draining');
  child.send({ reject: 'planted' });
  await draining;
  const exited = once(child, 'exit');
  child.send({ reject: 'planted again' });
  expect(await exited).toEqual([1, null]);
});
