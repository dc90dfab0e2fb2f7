import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { committedOffsets, createKafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { waitFor } from '@tranche/testing';
import { kafkaWorld, succeeded } from './worlds.js';

const CAPTURED = 'payment.capture.succeeded';

let world: Awaited<ReturnType<typeof kafkaWorld>>;
beforeAll(async () => {
  world = await kafkaWorld();
}, 120_000);
afterAll(() => world.close());

it('brings an event again whose handler was running when the process was killed, and not those before it', async () => {
  const args = [join(__dirname, 'subscriber.mjs'), world.brokers.join(','), world.prefix, 'killed'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const began: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => began.push(line));
  await world.emit(CAPTURED, succeeded('order', 'done'));
  await waitFor(() => began.includes('done'), { timeoutMs: 60_000, what: 'the first event' });
  await waitFor(() => committed('killed'), { what: 'its commit' });
  await world.emit(CAPTURED, succeeded('order', 'hangs'));
  await world.emit(CAPTURED, succeeded('order', 'behind'));
  await waitFor(() => began.includes('hangs'), { what: 'the event that hangs' });
  const exited = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await exited;
  const came: string[] = [];
  const client = await world.client();
  await client.subscribe({ group: 'killed', on: { [CAPTURED]: ({ data }) => void came.push(data.commandId) } });
  await waitFor(() => came.length >= 2, { timeoutMs: 30_000, what: 'what was not finished' });
  expect(came).toEqual(['hangs', 'behind']);
});

async function committed(group: string): Promise<boolean> {
  const client = createKafkaClient({ brokers: world.brokers, clientId: 'spec' }, silentLog);
  return [...(await committedOffsets(client, group, `${world.prefix}payments.events.v1`)).values()].includes(1n);
}
