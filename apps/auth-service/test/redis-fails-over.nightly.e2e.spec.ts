import { failOver, startRedisPair, waitFor, type RedisPair } from '@tranche/testing';
import { Replicas } from './replicas.js';

describe('a Redis behind a name that fails over and closes no connection', () => {
  const replicas = new Replicas();
  let pair: RedisPair;
  beforeEach(async () => void (pair = await startRedisPair()));
  afterEach(() => pair.stop());

  it('is left: not ready until the name stands for the new one, and then tokens are kept there', async () => {
    const service = await replicas.start({ REDIS_URL: pair.name.url });
    const isReady = async () => (await fetch(`${service.managementUrl}/health/ready`)).ok;
    const { accessToken } = await service.token('shop');
    await failOver(pair);
    await waitFor(async () => !(await isReady()), { timeoutMs: 60_000, what: 'not being ready' });
    expect((await fetch(`${service.managementUrl}/health/live`)).ok).toBe(true);
    pair.name.leadTo(pair.replica.url);
    await waitFor(isReady, { timeoutMs: 60_000, what: 'being ready again' });
    await service.token('second');
    const kept = async () => (await pair.replica.ask<string[]>(['KEYS', `${replicas.prefix}token:*`])).length;
    await waitFor(async () => (await kept()) === 2, { what: 'both tokens in the new one' });
    expect((await service.token('shop')).accessToken).toBe(accessToken);
  });
});
