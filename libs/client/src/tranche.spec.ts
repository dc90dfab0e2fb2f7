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
