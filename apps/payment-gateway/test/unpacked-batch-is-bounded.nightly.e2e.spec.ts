import { readFileSync } from 'node:fs';
import { COMMAND_TOPICS, orderKey, TOPICS } from '@tranche/contracts';
import { topicOffsets } from '@tranche/kafka';
import { aPartnerAAuthorization, BOMBS, infrastructure, sendPacked, SMALL_BOMBS, waitFor } from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { kafka, keptRecords } from './kept-records.js';

const MIB = 1024;
/** Generous, because this spec limits work and not time: a busy machine needs longer for the same work. */
const ANSWER_MS = 60_000;
const TYPE = 'payment.authorize.redirect_required';
/** Peak memory of the process since its start, KiB (VmHWM). */
const peakKib = (pid: number) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

/** Sends the batch `times` times, then a command of the same key, and waits for its event. */
async function answeredAfter(stack: GatewayStack, { name, type, packed, times, cpuS }: Bomb): Promise<void> {
  const data = aPartnerAAuthorization({ orderId: `after-${times}-${name}` });
  const key = orderKey(data.merchant, data.orderId);
  const topic = stack.prefix + COMMAND_TOPICS['partner-a'].name;
  const cpuSeconds = () => stack.metric('process_cpu_seconds_total');
  const beforeS = await cpuSeconds();
  const batch = { type, packed: await packed(key), messages: [{ key, value: '' }], times };
  await sendPacked(infrastructure().brokers, topic, batch);
  await stack.send('payment.authorize', data);
  const isAnswered = () => stack.typesOf(data.orderId).includes(TYPE);
  await waitFor(isAnswered, { timeoutMs: ANSWER_MS, what: `the answer after ${times} of ${name}` });
  await stack.event(data.orderId, TYPE);
  const tookS = (await cpuSeconds()) - beforeS;
  const peakMib = Math.round(peakKib(stack.gateway.pid) / MIB);
  console.info(
    `${name}, ${times}: the answer took ${tookS.toFixed(1)} s of processor time, peak of the gateway: ${peakMib} MiB`,
  );
  expect(tookS).toBeLessThan(cpuS);
  expect(peakMib).toBeLessThan(600);
  await expectDeadLetters(stack.prefix, times);
}

/** Expects one dead letter for each batch, without key, value and headers. */
async function expectDeadLetters(prefix: string, count: number): Promise<void> {
  const written = async () => {
    const offsets = await topicOffsets(kafka, prefix + TOPICS.commandsDeadLetter.name);
    return [...offsets.values()].reduce((sum, { high }) => sum + Number(high), 0);
  };
  await waitFor(async () => (await written()) >= count, { what: `${count} dead letters` });
  const letters = await keptRecords(prefix, TOPICS.commandsDeadLetter);
  expect(letters.length).toBe(count);
  for (const { key, value, headers } of letters) {
    const code = headers['dead-letter-code'];
    expect({ key, value, code }).toEqual({ key: null, value: null, code: 'unreadable_batch' });
    expect(Object.keys(headers).every((name) => name.startsWith('dead-letter-'))).toBe(true);
  }
}

type Bomb = (typeof BOMBS)[string] & { name: string; times: number; cpuS: number };
const bombs = (of: typeof BOMBS, times: number, cpuS: number): Bomb[] =>
  Object.entries(of).map(([name, bomb]) => ({ name, times, cpuS, ...bomb }));

/**
 * 1 MiB of gzip or zstd unpacks to 1 GiB. LZ4 encodes a length of 255 in one byte, so 1 MiB of it unpacks to at most 240 MiB; snappy copies at most
 * 64 bytes with 3, so 1 MiB of it unpacks to 20 MiB. Each peak is that of the process since its start. 200 small batches unpack to 800 MiB, one after
 * the other. Either needs a tenth of the limit.
 */
describe.each([
  ['one batch of 1 MiB that unpacks to as much as it can', bombs(BOMBS, 1, 10)],
  ['200 small batches, of which each unpacks to less than one may', bombs(SMALL_BOMBS, 200, 40)],
])('%s', (_, cases) => {
  let stack: GatewayStack;
  beforeEach(async () => (stack = await startGatewayStack()));
  afterEach(() => stack.stop());

  it.each(cases)(
    '$name: the next command of the key is answered within $cpuS s of processor time, with less than 600 MiB and a dead letter each',
    (bomb) => answeredAfter(stack, bomb),
    240_000,
  );
});
