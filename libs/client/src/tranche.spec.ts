import { generateKeyPairSync } from 'node:crypto';
import { Tranche } from './tranche.js';

it.each(['Production', 'a b', '', 'x'.repeat(33)])(
  'an environment that no gateway can have is refused: %j',
  async (id) => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const signing = { kid: 'k1', privateKey, environmentId: id };
    const connecting = Tranche.connect({ brokers: ['127.0.0.1:1'], clientId: 'spec', connectTimeoutMs: 1, signing });
    await expect(connecting).rejects.toThrow('signing.environmentId');
  },
);

it.each([
  ['a text that is no key', 'no key', 'signing.privateKey'],
  ['a key of another kind', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, 'signing.privateKey'],
  ['a public key', generateKeyPairSync('ed25519').publicKey, 'signing.privateKey'],
  ['a key without a name', generateKeyPairSync('ed25519').privateKey, 'signing.kid', ''],
])('a key that can not sign is refused at once: %s', async (_, privateKey, named, kid = 'k1') => {
  const connecting = Tranche.connect({
    brokers: ['127.0.0.1:1'],
    clientId: 'spec',
    connectTimeoutMs: 1,
    signing: { kid, privateKey },
  });
  await expect(connecting).rejects.toThrow(named);
});

it('every fault of the options is named at once, and every option that there is not', async () => {
  const options = { brokers: ['kafka://localhost:9092'], topicPrefix: null, prefix: 'eu.', maxWaits: '5', sasl: { mechanism: 'md5' }, signing: { kid: 'a b' } }; // prettier-ignore
  const { message } = (await Tranche.connect(options as never).catch((error: unknown) => error)) as Error;
  expect(message.split(/; |: /)).toEqual([
    'the options of Tranche.connect have faults',
    'brokers must be a list of host:port, without kafka:// or the like, and with a name in place of an IPv6 address',
    'clientId is required',
    'topicPrefix may hold letters, digits, dots, dashes and underscores only',
    expect.stringMatching(/^prefix is not one of brokers, clientId, ssl/),
    'maxWaits must be an integer of at least 1',
    'sasl must have a mechanism of plain, scram-sha-256, scram-sha-512, oauthbearer',
    'signing.kid must be the name of the key in publisherKeys',
    expect.stringMatching(/^signing.privateKey must be an Ed25519 private key/),
  ]);
  await expect(Tranche.connect(undefined as never)).rejects.toThrow('needs options, with brokers and clientId');
});
