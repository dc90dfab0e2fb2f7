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
