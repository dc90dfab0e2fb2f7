import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  COMMAND_TOPICS,
  encodeCloudEvent,
  orderKey,
  topicName,
  type CommandData,
  type CommandType,
  type Rail,
} from '@tranche/contracts';
import { BatchingProducer } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { aCommand, operatorKey, repositoryRoot, waitFor, type RunningApp } from '@tranche/testing';
import { Infrastructure, type CommandLines } from '../faults/infrastructure.js';
import { LoadEvents } from '../faults/load-events.js';
import { Stage } from '../faults/stage.js';
import { MERCHANT } from '../faults/surroundings.js';
import { readTraces } from '../faults/traces-reader.js';
import type { SentCommand } from '../faults/traces.js';
import { columns, withProgress } from '../figures.js';
import { Random } from '../simulation/random.js';
import { report, seedOfOrder, totalOf, type AmountsOptions } from './run-amounts.js';
import { StackOrder, type Resolution } from './stack-order.js';
import { storiesOf, unreadIn, type Played } from './stack-stories.js';
import { compare } from './sums.js';

const ORDERS = 500;
const AT_ONCE = 12;
const SETTLE_MS = 300_000;
/** "Not executed" counts from 15 minutes after the call on: the gateway is started again with its clock so much ahead. */
const LATER_MS = 20 * 60_000;
/** Kafka refuses records that are an hour ahead. */
const MOST_LATER = 2;
type Operator = { operator: string; key: string; role: 'approver' };
const FIRST: Operator = { operator: 'alice', key: operatorKey('alice'), role: 'approver' };
const SECOND: Operator = { operator: 'second', key: operatorKey('second'), role: 'approver' };

/** The same orders as `runAmounts`, on Kafka, Redis, a gateway, notification-ingest and the platform's simulator. Resolves to the exit code. */
export async function runAmountsOnStack(
  { orders = ORDERS, seed, json }: AmountsOptions,
  lines: CommandLines,
): Promise<number> {
  const begun = performance.now();
  const infrastructure = new Infrastructure(lines);
  try {
    await infrastructure.start();
    const { played, commands, traces } = await play({ orders, seed }, infrastructure);
    const stories = storiesOf(traces, played);
    const compared = stories.map(compare);
    const unread = [
      ...unreadIn(traces),
      ...played.flatMap(({ orderId, trouble }) => (trouble ? [`${orderId}: ${trouble}`] : [])),
    ];
    const total = { ...totalOf(stories, compared), commands, unread: unread.length, seed };
    for (const [at, { differences, untrue }] of compared.entries())
      if (differences.length + untrue.length > 0)
        report(played[at]!.orderId, [...differences, ...untrue], stories[at]!);
    for (const line of unread) console.error(line);
    console.error(columns(Object.entries({ ...total, seconds: Math.round((performance.now() - begun) / 1000) })));
    if (json) console.log(JSON.stringify(total));
    return total.differences + total.saidNotExecuted + total.unread === 0 ? 0 : 1;
  } finally {
    await infrastructure.stop();
  }
}

async function play({ orders, seed }: { orders: number; seed: number }, infrastructure: Infrastructure) {
  const [topicPrefix, orderPrefix] = [`amounts-${process.pid}-${seed}.`, `amounts${seed}-`];
  const operatorsFile = join(infrastructure.folder, 'operators.json');
  writeFileSync(operatorsFile, JSON.stringify([FIRST, SECOND]));
  const planted = {
    merchantsFile: join(repositoryRoot(), 'config/merchants.demo.json'),
    simulator: { CODES_BY_AMOUNT: 'false', LATENCY_MS: '0' },
    // A slow machine must make no doubts of its own.
    gateway: { PLATFORM_TIMEOUT_MS: '20000', KAFKA_SESSION_TIMEOUT_MS: '30000', OPERATORS_FILE: operatorsFile },
  };
  const stage = await Stage.open({ infrastructure, topicPrefix, orderPrefix, random: new Random(seed), planted });
  const events = new LoadEvents(stage.client, topicPrefix, orderPrefix);
  const producer = new BatchingProducer({ client: stage.client, log: silentLog });
  const commands: SentCommand[] = [];
  const send = async (rail: Rail, type: CommandType, id: string, data: CommandData) => {
    const { merchant, orderId } = data;
    const topic = topicName(topicPrefix, COMMAND_TOPICS[rail]);
    commands.push({ id, type, merchant, orderId, topic, sentAtMs: Date.now(), acknowledged: true, data });
    await producer.send({ topic, key: orderKey(merchant, orderId), ...encodeCloudEvent(aCommand(type, data, { id })) });
  };
  try {
    await stage.fault({ notification: { none: true } });
    const later = new Later(stage);
    await later.begin();
    events.start();
    const platform = platformOf(stage.simulator.url);
    const resolve = (orderId: string, commandId: string, resolution: Resolution) =>
      resolved(later.gateway, orderId, commandId, resolution);
    const played = Array.from({ length: orders }, (_, at): Played => {
      const orderId = `${orderPrefix}${String(at).padStart(5, '0')}`;
      const random = new Random(seedOfOrder(seed, at));
      const parts = { orderId, random, events, send, platform, resolve, later: () => later.come() };
      return { orderId, player: new StackOrder(parts) };
    });
    const progress = () =>
      `${later.ended} of ${orders} orders, ${later.waiting} wait for a later clock, ${commands.length} commands`;
    await withProgress(progress, () => later.through(played));
    console.error(`${orders} orders are played; reading the topics`);
    const read = { client: stage.client, topicPrefix, simulatorUrl: stage.simulator.url, orderPrefix, commands };
    const traces = await readTraces({ ...read, openIn: unreadIn, patienceMs: SETTLE_MS });
    if (stage.crashed.length > 0) throw new Error(stage.crashed.join('\n'));
    return { played, commands: commands.length, traces };
  } finally {
    await stage.close();
    await Promise.all([events.close(), producer.close()]);
  }
}

/** Plays some orders at a time. Those that need a later clock wait until no other can go on; then the gateway is started again. */
class Later {
  ended = 0;
  gateway!: RunningApp;
  #restarts = 0;
  #free = AT_ONCE;
  readonly #queue: (() => void)[] = [];
  #waiting: ((isLater: boolean) => void)[] = [];

  constructor(private readonly stage: Stage) {}

  get waiting(): number {
    return this.#waiting.length;
  }

  async begin(): Promise<void> {
    this.gateway = await this.stage.readyGateway({ env: { CLOCK_OFFSET_MS: String(this.#restarts * LATER_MS) } });
  }

  async through(played: Played[]): Promise<void> {
    await Promise.all(
      played.map(async (one) => {
        await this.#enter();
        await one.player.play().catch((error: Error) => void (one.trouble = error.message));
        this.ended++;
        await this.#leave();
      }),
    );
  }

  async come(): Promise<boolean> {
    if (this.#restarts === MOST_LATER) return false;
    const later = new Promise<boolean>((resolve) => this.#waiting.push(resolve));
    await this.#leave();
    const isLater = await later;
    await this.#enter();
    return isLater;
  }

  async #enter(): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
  }

  async #leave(): Promise<void> {
    const next = this.#queue.shift();
    if (next) return next();
    this.#free++;
    if (this.#free < AT_ONCE || this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#restarts++;
    console.error(
      `${waiting.length} orders wait: the gateway is started again, its clock ${this.#restarts * LATER_MS} ms ahead`,
    );
    await this.gateway.stop();
    await this.begin();
    for (const go of waiting) go(true);
  }
}

const platformOf = (url: string) => async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => {
  const json = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(url + path, { method, ...json });
  const text = await answer.text();
  if (answer.status >= 400 && answer.status !== 409) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return answer.ok && text !== '' ? (JSON.parse(text) as unknown) : undefined;
};

/** Says what the books show; "not executed" needs a second person. True if it counts: 4xx where a notification was faster. */
async function resolved(
  gateway: RunningApp,
  orderId: string,
  commandId: string,
  resolution: Resolution,
): Promise<boolean> {
  const id = Buffer.from(JSON.stringify([MERCHANT.name, orderId, commandId])).toString('base64url');
  const said = { ...resolution, reason: 'The back office shows it' };
  const { status, body } = await asked(gateway, `operations/${id}/resolve`, FIRST, said);
  const isCounted = (code: number) => code === 200 || code === 202;
  if (body.proposedBy === undefined) return isCounted(status);
  return isCounted((await asked(gateway, `proposals/${body.id}/approve`, SECOND, {})).status);
}

/** A gateway answers 503 until its index is built, or while it can't read the order. */
async function asked(gateway: RunningApp, path: string, { key }: Operator, body: object) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(body) };
  const answered = async () => {
    const answer = await fetch(`${gateway.managementUrl}/v1/${path}`, request);
    return answer.status < 500 ? answer : undefined;
  };
  const answer = await waitFor(answered, { what: path, pollMs: 500 });
  const said = (await answer.json()) as { id?: string; proposedBy?: string };
  if (!answer.ok && answer.status !== 409) console.error(`${path}: ${answer.status} ${JSON.stringify(said)}`);
  return { status: answer.status, body: said };
}
