import { waitFor } from '@tranche/testing';
import { Replicas } from './replicas.js';

describe('a platform that refuses every token', () => {
  const replicas = new Replicas();

  it('makes no report a call of the token API: one at once, the next when its token is REFUSED_INTERVAL_SECONDS old', async () => {
    const interval = { REFUSED_INTERVAL_SECONDS: '60' };
    const two = [await replicas.start(interval), await replicas.start(interval)];
    const first = await two[0]!.token();
    const second = await two[0]!.token('shop', first.fingerprint);
    expect(second.accessToken).toBe(replicas.api.tokens[1]);
    const answers = await Promise.all(
      two.flatMap((service) =>
        Array.from({ length: 50 }, () => service.post({ account: 'shop', refused: second.fingerprint })),
      ),
    );
    for (const { status, headers } of answers) {
      expect(status).toBe(503);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    }
    expect((await two[1]!.token('shop', first.fingerprint)).accessToken).toBe(second.accessToken);
    expect(replicas.api.requests).toHaveLength(2);
  });

  it('gets another one after that time', async () => {
    const service = await replicas.start({ REFUSED_INTERVAL_SECONDS: '1' });
    const first = await service.token();
    const begunAtMs = performance.now();
    const { fingerprint: refused } = await service.token('shop', first.fingerprint);
    await waitFor(async () => (await service.post({ account: 'shop', refused })).status === 200, {
      what: 'another token',
    });
    expect(performance.now() - begunAtMs).toBeGreaterThan(500);
    expect((await service.token()).accessToken).toBe(replicas.api.tokens[2]);
    expect(replicas.api.requests).toHaveLength(3);
  });
});
