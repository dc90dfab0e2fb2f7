import { waitFor } from '@tranche/testing';
import { ACCOUNTS, accountsFile } from './auth-service.js';
import { Replicas } from './replicas.js';
import { answerJson } from './token-api.js';

const [shop, ...others] = ACCOUNTS.accounts;
const corrected = accountsFile({
  ...ACCOUNTS,
  accounts: [{ ...shop, clientSecret: 'canary-corrected-secret-4f' }, ...others],
});

describe('credentials that the token API refuses', () => {
  const replicas = new Replicas();
  const refuse = () => {
    const giveToken = replicas.api.answer;
    replicas.api.answer = (response) =>
      answerJson(response, 401, { error: 'invalid_client', error_description: 'canary' });
    return () => (replicas.api.answer = giveToken);
  };

  it('are refused by all replicas for REFUSAL_SECONDS without asking again', async () => {
    refuse();
    const three = await Promise.all([1, 2, 3].map(() => replicas.start({ REFUSAL_SECONDS: '300' })));
    for (let turn = 0; turn < 3; turn++) {
      const answers = await Promise.all(
        three.flatMap((service) => Array.from({ length: 20 }, () => service.post({ account: 'shop' }))),
      );
      expect(new Set(answers.map(({ status, body }) => `${status} ${String(body.code)}`))).toEqual(
        new Set(['502 auth_refused']),
      );
      for (const { headers, body } of answers) {
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
        expect(body.detail).toBe('The token API refused the account (HTTP 401, invalid_client).');
      }
    }
    expect(replicas.api.requests).toHaveLength(1);
    const [refusal] = await replicas.entries('refusal:');
    expect(refusal?.ttlMs).toBeLessThanOrEqual(300_000);
    expect(refusal?.value).toMatch(/^2\.[\w-]{16}\.[\w-]+$/);
  });

  it('are asked with again after that time', async () => {
    const giveToken = refuse();
    const service = await replicas.start({ REFUSAL_SECONDS: '1' });
    const { status, headers } = await service.post({ account: 'shop' });
    expect([status, headers.get('retry-after')]).toEqual([502, '1']);
    giveToken();
    const answer = await waitFor(
      async () => {
        const tried = await service.post({ account: 'shop' });
        return tried.status !== 502 && tried;
      },
      { what: 'another answer' },
    );
    expect(answer.status).toBe(200);
    expect(replicas.api.requests).toHaveLength(2);
  });

  it('once corrected are not held up by the refusal of the wrong ones, nor are other accounts', async () => {
    const giveToken = refuse();
    const wrong = await replicas.start();
    expect((await wrong.post({ account: 'shop' })).status).toBe(502);
    giveToken();
    expect((await wrong.post({ account: 'second' })).status).toBe(200);
    const right = await replicas.start({ ACCOUNTS_FILE: corrected });
    expect((await right.post({ account: 'shop' })).status).toBe(200);
    // The cached token makes the wrong credentials irrelevant.
    expect((await (await replicas.start()).post({ account: 'shop' })).status).toBe(200);
    expect(replicas.api.requests).toHaveLength(3);
  });

  it('are no reason to give up a token that is still good', async () => {
    const service = await replicas.start();
    const { accessToken } = await service.token();
    const [entry] = await replicas.entries('token:');
    await replicas.redis.pExpire(entry?.key ?? '', 1_000_000);
    refuse();
    expect((await (await replicas.start()).token()).accessToken).toBe(accessToken);
  });

  it('of the account that discovers the realm are remembered of that account alone', async () => {
    refuse();
    const { scope: _, ...withoutScope } = shop!;
    const discovered = accountsFile({ ...ACCOUNTS, accounts: [{ ...withoutScope, scopeFrom: 'second' }, ...others] });
    const service = await replicas.start({ ACCOUNTS_FILE: discovered });
    for (const account of ['shop', 'second', 'shop']) expect((await service.post({ account })).status).toBe(502);
    expect(replicas.api.requests).toHaveLength(1);
    expect(await replicas.entries('refusal:')).toHaveLength(1);
  });
});

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
