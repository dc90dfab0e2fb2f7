import { silentLog } from '@tranche/runtime';
import { aCapture, aVoid, brokerGate, freePorts, waitFor, type BrokerGate } from '@tranche/testing';
import { KafkaUnreachableError, PublishError, Tranche, type TrancheClient } from '../src/index.js';
import { kafkaWorld } from './worlds.js';

/** Kafka's API key of the request by which a producer learns how large a topic's records may be. */
const DESCRIBE_CONFIGS = 32;

let world: Awaited<ReturnType<typeof kafkaWorld>>;
let gate: BrokerGate;
let client: TrancheClient;
beforeAll(async () => {
  world = await kafkaWorld();
  gate = await brokerGate(world.brokers[0]!);
  client = await world.client({ brokers: [gate.address], publishTimeoutMs: 700 });
});
afterEach(() => gate.open());
afterAll(async () => {
  await world.close();
  await gate.close();
});

it('says at once where it looked for Kafka in vain', async () => {
  const [port] = await freePorts();
  const brokers = [`127.0.0.1:${port}`];
  const error = await Tranche.connect({ brokers, clientId: 'nowhere', connectTimeoutMs: 1000, log: silentLog }).catch(
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(KafkaUnreachableError);
  expect((error as Error).message).toContain(`127.0.0.1:${port} within 1000 ms`);
  await expect(Tranche.connect({ brokers: [], clientId: 'nowhere' })).rejects.toThrow('at least one');
});

it('says of a command that was not acknowledged whether it may be written, and takes it again', async () => {
  const command = aCapture({ orderId: 'outage' });
  const publish = (id: string) => client.publisher.capture(command, { id, rail: 'partner-a' });
  /** A slow machine may take longer than the client waits: then again. Resolves to how often it may have been written. */
  const publishAtLast = async (id: string) => {
    let writes = 1;
    const isPublished = () =>
      publish(id).catch((error: PublishError) => {
        if (error.mayBeWritten) writes++;
        throw error;
      });
    await waitFor(isPublished, { what: `${id} to be published` });
    return writes;
  };
  await publishAtLast('outage-0');
  await gate.shut();
  const sent = await failureOf(publish('outage-1'));
  const waited = await failureOf(publish('outage-2'));
  expect([sent.mayBeWritten, waited.mayBeWritten]).toEqual([true, false]);
  expect(sent.message).toMatch(/outage-1 may have been written to .*the same id is safe/);
  // Not before the producer's own tries have failed.
  await waitFor(() => !client.health().isReady, { what: 'the client to say that it is not ready', timeoutMs: 30_000 });
  await gate.open();
  await waitFor(() => client.health().isReady, { what: 'the producer to come back', timeoutMs: 30_000 });
  const writes = await publishAtLast('outage-2');
  await waitFor(() => world.commands().some(({ id }) => id === 'outage-2'), { what: 'the repeated command' });
  // What was given up before it was sent is not among them.
  expect(world.commands().filter(({ id }) => id === 'outage-2').length).toBeLessThanOrEqual(writes);
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
