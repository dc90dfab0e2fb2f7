import { waitFor } from '@tranche/testing';
import { ENCRYPTION_KEY } from './auth-service.js';
import { Replicas } from './replicas.js';

const NEW_KEY = Buffer.alloc(32, 8).toString('base64');
const rotated = { TOKEN_ENCRYPTION_KEY: NEW_KEY, TOKEN_ENCRYPTION_KEYS_PREVIOUS: ENCRYPTION_KEY };

describe('a rotation of the encryption key', () => {
  const replicas = new Replicas();
  const keyIds = async () => (await replicas.entries('token:')).map(({ value }) => value.split('.')[1]);

  it('keeps what is cached, and replaces it under the new key when it is renewed', async () => {
    const before = await (await replicas.start()).token();
    const [oldKeyId] = await keyIds();
    const service = await replicas.start(rotated);
    expect((await service.token()).accessToken).toBe(before.accessToken);
    expect(await keyIds()).toEqual([oldKeyId]);
    const renewed = await service.token('shop', before.fingerprint);
    expect(renewed.accessToken).toBe(replicas.api.tokens[1]);
    expect((await keyIds())[0]).not.toBe(oldKeyId);
    expect(await keyIds()).toHaveLength(1);
  });

  it('leaves fingerprints good: a token that was handed out before it is dropped by its fingerprint after it', async () => {
    const before = await (await replicas.start()).token();
    const after = await (await replicas.start(rotated)).token('shop', before.fingerprint);
    expect(after.accessToken).toBe(replicas.api.tokens[1]);
    expect(after.fingerprint).not.toBe(before.fingerprint);
    const again = await (await replicas.start(rotated)).token('shop', before.fingerprint);
    expect(again.accessToken).toBe(after.accessToken);
    expect(replicas.api.requests).toHaveLength(2);
  });

  it('lets replicas of before and after it share a lock: who comes second waits for the token of the first', async () => {
    const [before, after] = await Promise.all([replicas.start(), replicas.start(rotated)]);
    replicas.api.delayMs = 1_000;
    const first = before.token();
    await waitFor(() => replicas.api.requests.length === 1, { what: 'the call of the replica of before' });
    const others = await Promise.all(Array.from({ length: 20 }, () => after.token()));
    expect(new Set(others.map(({ accessToken }) => accessToken))).toEqual(new Set([(await first).accessToken]));
    expect(replicas.api.requests).toHaveLength(1);
  });

  it('costs a replica of before one call for what it cannot open, and no more', async () => {
    const both = await Promise.all([replicas.start(), replicas.start(rotated)]);
    await both[1].token();
    await Promise.all(both.flatMap((service) => Array.from({ length: 20 }, () => service.token())));
    expect(replicas.api.requests).toHaveLength(2);
    expect(both[0].lines.filter(({ level }) => level === 'error')).toEqual([]);
    expect(
      both[0].lines.filter(({ message }) => String(message).includes('sealed with a key that is not configured')),
    ).toHaveLength(1);
  });

  it('to two different keys at once costs a call for each, not one whenever they look', async () => {
    const other = { ...rotated, TOKEN_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64') };
    const both = [await replicas.start(rotated), await replicas.start(other)];
    const endsAtMs = performance.now() + 3_500;
    await waitFor(
      async () => {
        await Promise.all(both.map((service) => service.token()));
        return performance.now() > endsAtMs;
      },
      { what: 'three looks into Redis' },
    );
    expect(replicas.api.requests).toHaveLength(2);
  });

  it('costs one call for an account when the old key is no longer listed, and nothing breaks', async () => {
    await (await replicas.start()).token();
    const service = await replicas.start({ TOKEN_ENCRYPTION_KEY: NEW_KEY });
    expect((await service.token()).accessToken).toBe(replicas.api.tokens[1]);
    expect(replicas.api.requests).toHaveLength(2);
  });
});
