/** Replaces a piece of a compiled file; `find` must occur exactly once in it. */
export interface PlantedPoint {
  name: string;
  project: 'apps/payment-gateway' | 'libs/order-journal';
  file: string;
  find: string;
  replace: string;
}

/** A point at the write that hands certain bytes to the kernel. */
export interface WrittenPoint {
  name: string;
  /** The process is hit when none, half or all of these bytes are written. */
  written: 'none' | 'half' | 'all';
  is: RegExp;
}

const pass = (name: string, key: string) => `globalThis.failpoint?.('${name}', ${key});`;
const before = (find: string, name: string, key: string) => ({ name, find, replace: `${pass(name, key)} ${find}` });
const after = (find: string, name: string, key: string) => ({ name, find, replace: `${find} ${pass(name, key)}` });
const executor = { project: 'libs/order-journal', file: 'execution/command-executor.js' } as const;
const ownedJournal = { project: 'libs/order-journal', file: 'partition/owned-journal.js' } as const;
const placed = { project: 'libs/order-journal', file: 'partition/placed-partition.js' } as const;
const ORDERS = "batch.orders.map(({ orderId }) => orderId).join(' ')";
const ofGateway = { project: 'apps/payment-gateway' } as const;

/** These points are in our own code. They are planted while it is loaded, so the shipped build has none (docs/decisions/0034). */
export const PLANTED: readonly PlantedPoint[] = [
  {
    ...ofGateway,
    file: 'command/command.consumer.js',
    ...before('const rail = railOfTopic(record.topic);', 'before-anything', 'record.key'),
  },
  {
    ...executor,
    ...before('const identity = { ...this.#inOrder(order)', 'prepared', 'order.orderId'),
  },
  {
    ...ownedJournal,
    name: 'intent-acknowledged',
    find: 'return this.waitForRecordAfter(record.merchant, record.orderId, offset - 1n);',
    replace: `if (record.record === 'INTENT') ${pass('intent-acknowledged', 'record.orderId')} return this.waitForRecordAfter(record.merchant, record.orderId, offset - 1n);`,
  },
  { ...executor, ...before('result = await platform.send(', 'granted', 'order.orderId') },
  {
    ...ofGateway,
    file: 'platform/platform.client.js',
    name: 'answer-in-flight',
    find: 'const exchange = new Exchange(this.#timeoutMs, maySend, resolve, connection, () => connections.giveBack(connection));',
    replace: `const exchange = new Exchange(this.#timeoutMs, maySend, resolve, connection, () => connections.giveBack(connection));
      const { onResponseStart } = exchange;
      exchange.onResponseStart = (...answer) => { ${pass('answer-in-flight', 'body')} onResponseStart.apply(exchange, answer); };`,
  },
  { ...executor, ...before('const { token } = grant;', 'answer-read', 'order.orderId') },
  {
    ...ownedJournal,
    ...after(
      'const offset = await this.#untilDone(record, () => this.append(record, trace));',
      'outcome-acknowledged',
      'record.orderId',
    ),
  },
  {
    ...placed,
    name: 'events-acknowledged',
    find: 'await this.#untilDone(() => parts.events.publish(batch.events));',
    replace: `await this.#untilDone(() => parts.events.publish(batch.events)); if (batch.events.length > 0) ${pass('events-acknowledged', ORDERS)}`,
  },
  { ...placed, ...after('this.#ahead.remove(records);', 'index-written', ORDERS) },
];

/** These points are between our code and the kernel: each waits for a write with these bytes. */
export const WRITTEN: readonly WrittenPoint[] = [
  { name: 'intent-in-flight', written: 'all', is: /"record":"INTENT"/ },
  { name: 'request-partly-written', written: 'half', is: /params%5BORDERID%5D=/ },
  { name: 'request-written', written: 'all', is: /params%5BORDERID%5D=/ },
  { name: 'outcome-in-flight', written: 'all', is: /"record":"OUTCOME"/ },
  // Kafka's OffsetCommit (API key 8) names no order. The group's name is followed by its generation, the client's by a length.
  { name: 'during-commit', written: 'all', is: /^[^]{4}\0\x08[^]*payment-gateway\0\0/ },
  { name: 'notification-in-flight', written: 'all', is: /^[^]{4}\0\0[^]*payment\.notification\.received/ },
  { name: 'before-the-ok', written: 'none', is: /^HTTP\/1\.1 200 [^]*\r\n\r\nOK$/ },
];

/** The promise's crash points, in the order in which a command passes them. */
export const CRASH_POINTS = [
  'before-anything',
  'prepared',
  'intent-in-flight',
  'intent-acknowledged',
  'granted',
  'request-partly-written',
  'request-written',
  'answer-in-flight',
  'answer-read',
  'outcome-in-flight',
  'outcome-acknowledged',
  'events-acknowledged',
  'index-written',
  'during-commit',
] as const;

export const INGEST_POINTS = ['notification-in-flight', 'before-the-ok'] as const;

/** A gateway with the variable `SECOND_OWNER` joins a consumer group of its own, so it gets every command that another gateway also has. */
export const SECOND_OWNER: PlantedPoint = {
  ...ofGateway,
  name: 'second-owner',
  file: 'kafka-servers.service.js',
  find: 'const groupId = gatewayGroup(config);',
  replace: "const groupId = gatewayGroup(config) + (process.env.SECOND_OWNER ?? '');",
};

export interface Failpoint {
  point: string;
  /** The point's order (or bytes) must contain this text; absent means any. */
  order?: string;
  /** The process is hit when it passes the point this often, from 1. */
  hit: number;
  do: 'kill' | 'stop';
}
