import kafkajs, { type Admin } from 'kafkajs';
import { silentLog } from '@tranche/runtime';
import { askAdmin, createKafkaClient } from './kafka-client.js';

const client = createKafkaClient({ brokers: ['127.0.0.1:1'], clientId: 'ask' }, silentLog);

beforeEach(() => {
  const admin = { connect: () => Promise.resolve(), disconnect: () => Promise.resolve() };
  jest.spyOn(kafkajs.Kafka.prototype, 'admin').mockReturnValue(admin as Admin);
});
afterEach(() => jest.restoreAllMocks());

const failing = (name: string) => Object.assign(new Error(name), { name, retriable: false });

it('asks again for a coordinator that a broker which came up just now does not have yet', async () => {
  const ask = jest
    .fn()
    .mockRejectedValueOnce(failing('KafkaJSGroupCoordinatorNotFound'))
    .mockResolvedValueOnce('offsets');
  expect(await askAdmin(client, ask)).toBe('offsets');
  expect(ask).toHaveBeenCalledTimes(2);
});

it('does not ask again after a refusal', async () => {
  const ask = jest.fn().mockRejectedValue(failing('KafkaJSProtocolError'));
  await expect(askAdmin(client, ask)).rejects.toThrow('KafkaJSProtocolError');
  expect(ask).toHaveBeenCalledTimes(1);
});
