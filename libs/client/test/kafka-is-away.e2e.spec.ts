import { silentLog } from '@tranche/runtime';
import { aCapture, brokerGate, freePorts, waitFor, type BrokerGate } from '@tranche/testing';
import { KafkaUnreachableError, PublishError, Tranche, type TrancheClient } from '../src/index.js';
import { kafkaWorld } from './worlds.js';

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
  await expect(Tranche.connect({ brokers: [], clientId: 'nowhere' })).rejects.toThrow('brokers must be a list');
});

it('says of a command that was not acknowledged whether it may be written, and takes it again', async () => {
  const command = aCapture({ orderId: 'outage' });
  const publish = (id: string) => client.publisher.capture(command, { id, rail: 'partner-a' });
  /** Retries, because a slow machine may exceed the client's timeout. Resolves with the number of possible writes. */
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
  // The gate opens only after the producer's own attempts have failed.
  await waitFor(() => !client.health().isReady, { what: 'the client to say that it is not ready', timeoutMs: 30_000 });
  await gate.open();
  await waitFor(() => client.health().isReady, { what: 'the producer to come back', timeoutMs: 30_000 });
  const writes = await publishAtLast('outage-2');
  await waitFor(() => world.commands().some(({ id }) => id === 'outage-2'), { what: 'the repeated command' });
  // Commands that were given up before they were sent must not appear.
  expect(world.commands().filter(({ id }) => id === 'outage-2').length).toBeLessThanOrEqual(writes);
});

async function failureOf(publishing: Promise<unknown>): Promise<PublishError> {
  const error = await publishing.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(PublishError);
  return error as PublishError;
}
