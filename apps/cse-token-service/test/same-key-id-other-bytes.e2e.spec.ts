import { createHash } from 'node:crypto';
import { waitFor } from '@tranche/testing';
import { API_KEY_ID } from './cse-token-service.js';
import { rsaKey, startKeyProvider, type KeyProvider } from './key-provider.js';
import { entriesOf, keyEvents, ownWorld, redisDump, startCse, type RunningCse } from './running.js';

const SHORT_LIFE = { CSE_KEY_LIFETIME_MS: '0', CSE_STALE_MS: '600000' };
const fingerprint = (der: Buffer) => createHash('sha256').update(der).digest('hex');

describe('a key id that comes with other bytes', () => {
  let provider: KeyProvider;
  const running: RunningCse[] = [];
  const forged = rsaKey();
  const forge = () => (provider.record = { ...provider.record, encryptionPublicKey: forged.toString('base64') });
  const start = async (env: Record<string, string>) => {
    const cse = await startCse(provider.url, env);
    running.push(cse);
    return cse;
  };
  beforeEach(async () => {
    provider = await startKeyProvider();
  });
  afterEach(async () => {
    for (const cse of running.splice(0)) await cse.stop();
    await provider.close();
  });

  it('is refused and raised; the good one is served on [Ours.key-id]', async () => {
    const world = ownWorld();
    const cse = await start({ ...world, ...SHORT_LIFE });
    const good = provider.record;
    expect((await cse.ask()).body).toEqual(good);
    forge();
    for (let n = 0; n < 5; n++) expect((await cse.ask()).body).toEqual(good);
    expect(await cse.metric('cse_key_changes_total{change="refused"')).toBeGreaterThan(0);
    await waitFor(
      () => cse.app.logs.some((line) => line.includes('"level":"error"') && line.includes('stands for other bytes')),
      {
        what: 'the error in the log',
      },
    );
    const events = await keyEvents(world);
    const { data } = await events.next(({ type }) => type === 'cse.key.refused');
    expect(data).toMatchObject({ apiKeyId: API_KEY_ID, encryptionKeyId: 'key-1', fingerprint: fingerprint(forged) });
    provider.record = good;
    const before = await cse.metric('cse_keys_served_total{source="provider"');
    await waitFor(async () => {
      await cse.ask();
      return (await cse.metric('cse_keys_served_total{source="provider"')) > before;
    });
    expect(events.events.filter(({ type }) => type === 'cse.key.refused')).toHaveLength(1);
    await events.stop();
  });

  it('is refused after a restart, and by every other instance, though they have none to serve then', async () => {
    const world = ownWorld();
    const first = await start(world);
    const good = (await first.ask()).body;
    await first.stop();
    forge();
    const restarted = await start(world);
    const other = await start(world);
    for (const cse of [restarted, other])
      expect(await cse.ask()).toMatchObject({ status: 503, body: { code: 'key_unavailable' } });
    provider.record = good as never;
    for (const cse of [restarted, other]) await waitFor(async () => (await cse.ask()).status === 200);
  });

  it('is refused without Redis by the process that was given the first', async () => {
    const cse = await start({ ...ownWorld(), ...SHORT_LIFE, REDIS_URL: 'redis://127.0.0.1:1' });
    const good = provider.record;
    expect((await cse.ask()).body).toEqual(good);
    forge();
    expect((await cse.ask()).body).toEqual(good);
    expect(await cse.metric('cse_key_changes_total{change="refused"')).toBeGreaterThan(0);
  });

  it('is remembered for 35 days, by names that hold no id of a key', async () => {
    const world = ownWorld();
    const cse = await start(world);
    const askedAtMs = performance.now();
    await cse.ask();
    const dump = await redisDump(world);
    expect(Object.keys(dump).filter((name) => name.includes('key-1'))).toEqual([]);
    const [known = ['', '']] = entriesOf(dump, createHash('sha256').update('key-1').digest('hex'));
    expect(known[1]).toMatch(
      new RegExp(`^${fingerprint(Buffer.from(provider.record.encryptionPublicKey, 'base64'))} ttl=`),
    );
    const ttl = Number(known[1].split('ttl=')[1]);
    const passed = (performance.now() - askedAtMs) / 1_000;
    expect(ttl).toBeGreaterThan(35 * 86_400 - 1 - passed);
    expect(ttl).toBeLessThanOrEqual(35 * 86_400);
  });
});
