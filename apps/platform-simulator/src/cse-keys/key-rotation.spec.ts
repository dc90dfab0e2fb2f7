import { createPublicKey } from 'node:crypto';
import { CARD, encrypted, keyOf, tokenized, type KeyRecord } from '../../test/encrypted-card.js';
import { API_KEY_ID, OTHER_API_KEY_ID, runSimulator, type RunningSimulator } from '../../test/running-simulator.js';
import { UNFIT_KINDS } from './unfit-keys.js';

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await runSimulator();
});
afterAll(() => simulator.stop());
beforeEach(() => simulator.json('POST', '/simulator/reset'));

const rotate = (body?: object) => simulator.json('POST', '/simulator/cse-keys/rotate', body);
const tokenizeWith = async (key: KeyRecord, apiKeyId = API_KEY_ID) => {
  const request = { ENCRYPTEDDATA: encrypted(CARD, key), ENCRYPTIONKEYID: key.encryptionKeyId, APIKEYID: apiKeyId };
  const { EXECCODE, MESSAGE } = (await simulator.json('POST', '/tokenizer', request)).body as {
    EXECCODE: string;
    MESSAGE: string;
  };
  return EXECCODE === '0000' ? EXECCODE : `${EXECCODE} ${MESSAGE.split(': ')[1]}`;
};

describe('a rotation', () => {
  it('retires the previous key', async () => {
    const before = await keyOf(simulator);
    const { body } = await rotate();
    const after = await keyOf(simulator);
    expect(after.encryptionKeyId).toBe(body.encryptionKeyId);
    expect(after.encryptionPublicKey).not.toBe(before.encryptionPublicKey);
    expect([await tokenizeWith(before), await tokenizeWith(after)]).toEqual(['1002 ENCRYPTIONKEYID', '0000']);
  });

  it('may keep the previous key accepted', async () => {
    const before = await keyOf(simulator);
    await rotate({ keepPrevious: true });
    expect((await keyOf(simulator)).encryptionKeyId).not.toBe(before.encryptionKeyId);
    expect(await tokenizeWith(before)).toBe('0000');
  });

  it('of one API key leaves the others alone, and its key is good for no other', async () => {
    const other = await keyOf(simulator, OTHER_API_KEY_ID);
    await rotate({ apiKeyId: API_KEY_ID });
    expect(await keyOf(simulator, OTHER_API_KEY_ID)).toEqual(other);
    expect(await tokenizeWith(await keyOf(simulator), OTHER_API_KEY_ID)).toBe('1002 ENCRYPTIONKEYID');
    const { body } = await simulator.json('GET', '/simulator/cse-keys');
    const { encryptionKeyId } = await keyOf(simulator);
    expect(body).toContainEqual({ apiKeyId: API_KEY_ID, encryptionKeyId, accepted: [encryptionKeyId] });
  });

  it.each([{ apiKeyId: 'nobody' }, { apiKeyId: 1 }, { keepPrevious: 'yes' }])('refuses %j', async (body) => {
    expect((await rotate(body)).status).toBe(400);
  });
});

describe('the fault keyRotation', () => {
  it('rotates behind the answer of cseKeys', async () => {
    await simulator.fault({ operation: 'cseKeys', times: 1 }, { keyRotation: true });
    expect(await tokenized(simulator)).toMatchObject({
      EXECCODE: '1002',
      MESSAGE: expect.stringContaining('ENCRYPTIONKEYID'),
    });
    expect((await tokenized(simulator)).EXECCODE).toBe('0000');
  });

  it('rotates before the tokenizer decrypts', async () => {
    await simulator.fault({ operation: 'tokenizer', times: 1 }, { keyRotation: true });
    const key = await keyOf(simulator);
    expect([await tokenizeWith(key), await tokenizeWith(await keyOf(simulator))]).toEqual([
      '1002 ENCRYPTIONKEYID',
      '0000',
    ]);
  });
});

describe('the fault encryptionKey', () => {
  const answered = async (fault: object) => {
    await simulator.fault({ operation: 'cseKeys', times: 1 }, { encryptionKey: fault });
    return keyOf(simulator);
  };
  const described = ({ encryptionPublicKey }: KeyRecord) => {
    const der = Buffer.from(encryptionPublicKey, 'base64');
    try {
      const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
      const { modulusLength, publicExponent } = key.asymmetricKeyDetails ?? {};
      const isWhole = key.export({ type: 'spki', format: 'der' }).equals(der);
      return [key.asymmetricKeyType, modulusLength, publicExponent?.toString(), isWhole].join(' ');
    } catch {
      return 'no SPKI';
    }
  };

  it.each([
    ['rsa512', 'rsa 512 65537 true'],
    ['rsa1024', 'rsa 1024 65537 true'],
    ['exponent3', 'rsa 2048 3 true'],
    ['trailingBytes', 'rsa 2048 65537 false'],
    ['pkcs1', 'no SPKI'],
    ['ec', 'ec   true'],
    ['otherBytes', 'rsa 2048 65537 true'],
    ['garbage', 'no SPKI'],
  ] as const)('%s: %s', async (kind, expected) => {
    const good = await keyOf(simulator);
    const unfit = await answered({ kind });
    expect(described(unfit)).toBe(expected);
    expect(unfit.encryptionPublicKey).not.toBe(good.encryptionPublicKey);
    expect(unfit.encryptionKeyId === good.encryptionKeyId).toBe(kind === 'otherBytes');
    expect(await keyOf(simulator)).toEqual(good);
    expect(UNFIT_KINDS).toContain(kind);
  });

  it('texts as they are given', async () => {
    const texts = { encryptionKeyId: 'key-1', encryptionPublicKey: 'AAAA' };
    expect(await answered(texts)).toEqual(texts);
    const { encryptionKeyId } = await keyOf(simulator);
    expect(await answered({ encryptionPublicKey: '' })).toEqual({ encryptionKeyId, encryptionPublicKey: '' });
  });

  it.each([{ kind: 'rsa4096' }, { encryptionKeyId: 1 }, 'x'])('%j is no rule', async (encryptionKey) => {
    expect((await simulator.fault({}, { encryptionKey })).status).toBe(400);
  });
});
