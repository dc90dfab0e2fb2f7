import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND_TOPICS, encodeCloudEvent, SIGNATURE_HEADER, signCommand, TOPICS } from '@tranche/contracts';
import { BatchingProducer, createKafkaClient, ensureTopics } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import {
  aCapture,
  aCommand,
  aPartnerAAuthorization,
  infrastructure,
  ownPrefix,
  publisherOfTests,
} from '@tranche/testing';
import { deadLettersOf } from './dead-letters.js';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';
import { tranche } from './tranche.js';

const merchant = 'shop-signed';
const orderId = 'hears-nothing';
const key = `${merchant}/${orderId}`;
const topic = COMMAND_TOPICS['partner-a'].name;
const time = new Date().toISOString();

let stack: GatewayStack;
let folder: string;
beforeAll(async () => {
  stack = await joinGatewayStage();
  folder = mkdtempSync(join(tmpdir(), 'tranche-commands-'));
});
afterAll(async () => {
  await stack?.stop();
  rmSync(folder, { recursive: true });
});

const authorization = (id: string) =>
  encodeCloudEvent(aCommand('payment.authorize', aPartnerAAuthorization({ merchant, orderId }), { id, time }));

function signed({ headers, value }: ReturnType<typeof encodeCloudEvent>, environmentId: string) {
  const command = { topic: stack.prefix + topic, key, headers, value };
  const signature = signCommand(command, { ...publisherOfTests(), environmentId });
  return { ...command, headers: { ...headers, [SIGNATURE_HEADER]: signature } };
}

const send = ({ headers, value }: ReturnType<typeof encodeCloudEvent>) => stack.sendRecord(topic, key, value, headers);

interface Found {
  commands: { commandId: string; verdict: string; says: string; faults: { path: string }[]; group?: object }[];
}
async function find(env: Record<string, string>, ...args: string[]) {
  const { code, out, err } = await tranche({ env }, 'commands', 'find', ...args, '--since', '1h', '--json');
  if (out === '') throw new Error(err);
  return { code, commands: (JSON.parse(out) as Found).commands };
}

it('`tranche commands find` says why a sender hears nothing of a command, or what it should have heard', async () => {
  await send(signed(authorization('hn-done'), 'tests'));
  await stack.event(orderId, 'payment.authorize.redirect_required');
  await send(signed(authorization('hn-refused'), 'staging'));
  await send({ ...authorization('hn-unreadable'), value: Buffer.from([0, 1]) });
  const capture = aCapture({ merchant, orderId, amount: 0 });
  await send(signed(encodeCloudEvent(aCommand('payment.capture', capture, { id: 'hn-rejected', time })), 'tests'));
  await Promise.all([stack.event(orderId, 'payment.command.rejected'), deadLettersOf(stack, [key], 2)]);

  const ofOrder = await find(stack.env, '--merchant', merchant, '--order', orderId);
  expect(Object.fromEntries(ofOrder.commands.map(({ commandId, verdict }) => [commandId, verdict]))).toEqual({
    'hn-done': 'done',
    'hn-refused': 'signature_refused',
    'hn-unreadable': 'dead_letter',
    'hn-rejected': 'rejected',
  });
  expect(ofOrder.code).toBe(1);
  const saysOf = (id: string) => ofOrder.commands.find(({ commandId }) => commandId === id)!;
  expect(saysOf('hn-refused').says).toMatch(/does_not_match, key id k1/);
  expect(saysOf('hn-rejected').faults.map(({ path }) => path)).toEqual(['amount']);

  const [done, never, refused] = await Promise.all([
    find(stack.env, 'hn-done', '--group', 'a-group-that-reads-nothing'),
    find(stack.env, 'hn-never-sent'),
    tranche(stack, 'commands', 'refused', '--merchant', merchant, '--since', '1h'),
  ]);
  expect(done).toMatchObject({ code: 0, commands: [{ verdict: 'done', group: { hasRead: false } }] });
  expect(never).toMatchObject({ code: 1, commands: [{ verdict: 'never_arrived' }] });
  expect(never.commands[0]!.says).toContain(stack.prefix + topic);
  expect(refused.code).toBe(6);
  expect(refused.out).toMatch(/shop-signed\/hears-nothing hn-refused: signature_refused, .*does_not_match, key id k1/);
  expect(refused.out).toMatch(/hn-unreadable: unreadable/);
});

it('and of a command that waits how many gateways are at work, and what lies before it', async () => {
  const prefix = ownPrefix();
  const brokers = infrastructure().brokers.split(',');
  const client = createKafkaClient({ brokers, clientId: 'spec' }, silentLog);
  const definitions = [...Object.values(COMMAND_TOPICS), TOPICS.commandsDeadLetter, TOPICS.events];
  await ensureTopics(client, { prefix, definitions, replicationFactor: 1, minInSyncReplicas: 1, log: silentLog });
  const producer = new BatchingProducer({ client, log: silentLog });
  for (const id of ['hn-first', 'hn-waiting'])
    await producer.send({ topic: prefix + topic, key, ...authorization(id) });
  await producer.close();
  const { code, commands } = await find({ ...stack.env, KAFKA_TOPIC_PREFIX: prefix }, 'hn-waiting');
  expect(code).toBe(1);
  expect(commands).toMatchObject([{ verdict: 'waiting', position: { ahead: '1', gateways: 0 } }]);
});

it('`tranche commands check` refuses with every fault before anything is sent, and `sign` makes it acceptable', async () => {
  const [file, keyFile] = [join(folder, 'command.json'), join(folder, 'key.pem')];
  const { headers, value } = authorization('hn-checked');
  writeFileSync(file, JSON.stringify({ headers, value: value.toString(), key: 'other' }));
  const refused = await tranche(stack, 'commands', 'check', file, '--json');
  expect(refused.code).toBe(3);
  const [{ faults, partition }] = (JSON.parse(refused.out) as { commands: [{ faults: { code: string }[]; partition: object }] }).commands; // prettier-ignore
  expect(faults.map(({ code }) => code)).toEqual(['key_mismatch', 'signature_refused']);
  expect(partition).toMatchObject({ of: 12 });

  writeFileSync(file, JSON.stringify({ headers, value: value.toString() }));
  writeFileSync(keyFile, publisherOfTests().privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const signing = await tranche(stack, 'commands', 'sign', file, '--key', keyFile, '--kid', 'k1');
  expect(signing).toMatchObject({ code: 0, err: expect.stringContaining('signed for tests') as string });
  writeFileSync(file, signing.out);
  const accepted = await tranche(stack, 'commands', 'check', file);
  expect(accepted).toMatchObject({ code: 0, out: expect.stringMatching(/signature verified\n {2}accepted/) as string });
});
