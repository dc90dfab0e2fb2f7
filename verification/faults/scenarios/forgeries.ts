import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { TOPICS, type PaymentNotification } from '@tranche/contracts';
import { countsOf } from '../../figures.js';
import { forgeries } from '../forgeries/forgeries.js';
import { areSame, encoded, MERCHANTS, notification, signed } from '../forgeries/messages.js';
import type { Scenario } from '../scenario.js';
import type { Stage } from '../stage.js';
import { wholeTopic } from '../traces-reader.js';

/** The genuine notifications have another address, because the server limits each address. */
const ATTACKER = '127.0.0.2';
const TIMEOUT_MS = 15_000;
const CONNECTIONS = 16;
/** After so many forgeries a genuine notification must be answered with OK. */
const GENUINE_EVERY = 500;

/** Sends forged notifications to a notification-ingest with keys of its own. None may be accepted, and genuine ones are taken meanwhile. */
export const forgedNotifications: Scenario = {
  ...{ name: 'forged-notifications', fault: 'forged notifications', weight: 0, load: { orders: 4 } },
  async run(stage, load) {
    await stage.readyGateway();
    load.start();
    const { infrastructure, topicPrefix } = stage.options;
    const merchantsFile = join(infrastructure.folder, 'merchants-of-forgeries.json');
    writeFileSync(merchantsFile, JSON.stringify(MERCHANTS));
    const settings = { PORT: '0', MERCHANTS_FILE: merchantsFile, REDIS_KEY_PREFIX: `${topicPrefix}forgeries:` };
    const ingest = await stage.start('notification-ingest', { ...stage.surroundings.ingest(), ...settings });
    await stage.ready(ingest);
    const faults = [...(await sendForgeries(stage, ingest.url)), ...(await forgedEvents(stage))];
    if (faults.length > 0) throw new Error(faults.join('\n'));
  },
};

/** Resolves to the requests that were accepted or that the service failed at. */
async function sendForgeries({ random }: Stage, url: string): Promise<string[]> {
  const faults: string[] = [];
  const answers: string[] = [];
  let same = 0;
  const all = forgeries(random, () => same++);
  const sendSome = async () => {
    for (let next = all.next(); !next.done; next = all.next()) {
      const { kind, request } = next.value;
      const { status, body } = await send(Number(new URL(url).port), request);
      answers.push(status === 0 ? 'closed' : String(status));
      // 503 says that the service is busy, and a platform sends again.
      if (status === 200 || body === 'OK' || (status >= 500 && status !== 503))
        faults.push(`${kind} was answered ${status}: ${request.toString('latin1').slice(0, 600)}`);
      if (answers.length % GENUINE_EVERY > 0) continue;
      const genuine = signed(notification(`genuine ${answers.length}`));
      const answer = await fetch(`${url}/notifications?${encoded('query', genuine).toString()}`);
      if ((await answer.text()) !== 'OK') faults.push(`a genuine notification was answered ${answer.status}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendSome));
  const counts = Object.entries(countsOf(answers)).map(([answer, count]) => `${answer} ${count} times`);
  console.error(`${answers.length} forgeries, answered ${counts.join(', ')}; ${same} are read as the genuine one`);
  return faults;
}

/** Sends a request as bytes over a connection of its own. The status is 0 if the connection ends without an answer. */
async function send(port: number, request: Buffer): Promise<{ status: number; body: string }> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: ATTACKER }).on('error', () => undefined);
  let received = '';
  const answer = await new Promise<string[]>((resolve) => {
    const settle = () => resolve(/^HTTP\/1.1 (\d+)[^]*?\r\n\r\n([^]*)$/.exec(received) ?? []);
    socket.setTimeout(TIMEOUT_MS, settle).on('close', settle);
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      const [head, length] = /^[^]*?content-length: (\d+)[^]*?\r\n\r\n/i.exec(received) ?? [];
      if (head !== undefined && received.length >= head.length + Number(length)) settle();
    });
    socket.write(request);
  });
  // A reset leaves no port waiting: thousands of forgeries would use up all of them.
  socket.resetAndDestroy();
  return { status: Number(answer[1] ?? 0), body: answer[2] ?? '' };
}

/** Events of neither the run's own orders nor of a genuine notification with its parameters. */
async function forgedEvents({ client, options }: Stage): Promise<string[]> {
  const records = await wholeTopic(client, options.topicPrefix, TOPICS.notifications.name);
  const notified = records.map(({ value }) => JSON.parse(value?.toString('utf8') ?? '') as PaymentNotification);
  return notified
    .filter(({ orderId, parameters }) => {
      const isGenuine = /^genuine \d+$/.test(orderId) && areSame(Object.entries(parameters), notification(orderId));
      return !isGenuine && !orderId.startsWith(options.orderPrefix);
    })
    .map(({ orderId, parameters }) => `an event of ${orderId}: ${JSON.stringify(parameters)}`);
}
