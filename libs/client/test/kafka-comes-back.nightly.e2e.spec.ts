import { silentLog } from '@tranche/runtime';
import { aVoid, brokerGate, waitFor, type BrokerGate } from '@tranche/testing';
import { PublishError, Tranche } from '../src/index.js';
import { kafkaWorld } from './worlds.js';

/** Kafka's API key of the request for a topic's maximum record size. */
const DESCRIBE_CONFIGS = 32;

let world: Awaited<ReturnType<typeof kafkaWorld>>;
let gate: BrokerGate;
beforeAll(async () => {
  world = await kafkaWorld();
  gate = await brokerGate(world.brokers[0]!);
});
afterEach(() => gate.open());
afterAll(async () => {
  await world.close();
  await gate.close();
});

it('publishes though a request is never answered: it asks again within the time that a command may wait', async () => {
  const patient = await world.client({ brokers: [gate.address] });
  void gate.holdNext(DESCRIBE_CONFIGS);
  await patient.publisher.void(aVoid({ orderId: 'unanswered' }), { id: 'unanswered-1' });
  await waitFor(() => world.commands().some(({ id }) => id === 'unanswered-1'), { what: 'the command' });
});

it('still hears the result when Kafka was away meanwhile', async () => {
  const command = aVoid({ orderId: 'interrupted' });
  const patient = await world.client({ brokers: [gate.address] });
  const waiting = patient.publisher.voidAndWait(command, { id: 'interrupted-1', timeoutMs: 40_000 });
  await waitFor(() => world.commands().some(({ id }) => id === 'interrupted-1'), { what: 'the command' });
  await gate.shut();
  const { merchant, orderId } = command;
  await world.emit('payment.void.succeeded', {
    merchant,
    orderId,
    commandId: 'interrupted-1',
    operation: 'void',
    attempt: 1,
    origin: 'answer',
  });
  await gate.open();
  expect((await waiting).type).toBe('payment.void.succeeded');
});

it('publishes nothing where it can not listen for the result', async () => {
  const other = await world.client({ brokers: [gate.address] });
  await gate.shut();
  const error = await failureOf(
    other.publisher.voidAndWait(aVoid({ orderId: 'deaf' }), { id: 'deaf-1', timeoutMs: 60_000 }),
  );
  expect(error.mayBeWritten).toBe(false);
  await gate.open();
  await other.publisher.void(aVoid({ orderId: 'deaf' }), { id: 'deaf-2' });
  await waitFor(() => world.commands().some(({ id }) => id === 'deaf-2'), { what: 'the second command' });
  expect(world.commands().some(({ id }) => id === 'deaf-1')).toBe(false);
});

it('names the topic that does not exist', async () => {
  const lost = await Tranche.connect({
    brokers: world.brokers,
    clientId: 'lost',
    topicPrefix: `${world.prefix}no.`,
    log: silentLog,
  });
  const error = await failureOf(lost.publisher.void(aVoid(), { id: 'lost-1' }));
  expect(error).toMatchObject({ mayBeWritten: false, message: expect.stringContaining('does not exist') as string });
  await expect(lost.subscribe({ group: 'lost', on: { 'payment.pay.succeeded': () => undefined } })).rejects.toThrow(
    'does not exist',
  );
  await lost.close();
});

async function failureOf(publishing: Promise<unknown>): Promise<PublishError> {
  const error = await publishing.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(PublishError);
  return error as PublishError;
}
