import { CARD, encrypted, keyOf, type KeyRecord } from '../../test/encrypted-card.js';
import { API_KEY_ID, OTHER_API_KEY_ID, runSimulator, type RunningSimulator } from '../../test/running-simulator.js';

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
