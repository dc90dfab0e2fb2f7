import { waitFor } from '@tranche/testing';
import { Replicas } from './replicas.js';
import { answerJson } from './token-api.js';

describe('a token API that is not there', () => {
  const replicas = new Replicas();

  it('is left alone by all replicas for as long as it says, and callers are told so at once', async () => {
    replicas.api.answer = (response) => answerJson(response, 429, {}, { 'retry-after': '30' });
    const two = await Promise.all([replicas.start(), replicas.start()]);
    for (let turn = 0; turn < 3; turn++) {
      const answers = await Promise.all(
        two.flatMap((service) => Array.from({ length: 20 }, () => service.post({ account: 'shop' }))),
      );
      for (const { status, headers, body } of answers) {
        expect([status, body.code]).toEqual([503, 'platform_unavailable']);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(5);
      }
    }
    expect(replicas.api.requests).toHaveLength(1);
    expect((await two[0].post({ account: 'second' })).status).toBe(503);
    expect(replicas.api.requests).toHaveLength(2);
  });

  it('is asked less often each time, by one of the replicas, and gives a token when it is back', async () => {
    const giveToken = replicas.api.answer;
    replicas.api.answer = (response) => answerJson(response, 503, {});
    const two = await Promise.all([replicas.start(), replicas.start()]);
    const endsAtMs = performance.now() + 3_000;
    await waitFor(
      async () => {
        await Promise.all(two.map((service) => service.post({ account: 'shop' })));
        return performance.now() > endsAtMs && replicas.api.requests.length > 1;
      },
      { what: 'three seconds and a second call', timeoutMs: 30_000 },
    );
    // Earliest retries: at 0 s, after 0.5 to 1 s, then after 1 to 2 s each.
    expect(replicas.api.requests.length).toBeGreaterThan(1);
    expect(replicas.api.requests.length).toBeLessThanOrEqual(4);
    replicas.api.answer = giveToken;
    await waitFor(async () => (await two[0].post({ account: 'shop' })).status === 200, { what: 'a token' });
  });

  it('for longer than a lock lives is still asked by one replica', async () => {
    replicas.api.delayMs = 6_000;
    const [one, other] = await Promise.all([1, 2].map(() => replicas.start({ AUTH_TIMEOUT_MS: '10000' })));
    const tokens = await Promise.all([one!.token(), other!.token()]);
    expect(new Set(tokens.map(({ accessToken }) => accessToken)).size).toBe(1);
    expect(replicas.api.requests).toHaveLength(1);
  });
});
