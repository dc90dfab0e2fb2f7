import { waitFor } from '@tranche/testing';
import {
  API_KEY_ID,
  SECOND_ID,
  startCseTokenService,
  type CseTokenServiceUnderTest,
} from '../../test/cse-token-service.js';
import { answerJson, rsaKey, startKeyProvider, type KeyProvider } from '../../test/key-provider.js';

const another = (id: string) => ({ encryptionKeyId: id, encryptionPublicKey: rsaKey().toString('base64') });

describe('the key of an API key', () => {
  let provider: KeyProvider;
  let service: CseTokenServiceUnderTest;

  async function start(env: Record<string, string> = {}, options: { delayMs?: number } = {}): Promise<void> {
    provider = await startKeyProvider(options);
    service = await startCseTokenService({ CSE_KEYS_URL: provider.url, ...env });
  }
  const fail = () => (provider.answer = (response) => answerJson(response, 500, {}));
  afterEach(async () => {
    service.stop();
    await provider.close();
  });

  describe('while the provider gives none', () => {
    it('is the one from before for a bounded time, then none; never for long after', async () => {
      await start({ CSE_KEY_LIFETIME_MS: '0', CSE_STALE_MS: '60000' });
      const nowMs = performance.now();
      const clock = jest.spyOn(performance, 'now').mockReturnValue(nowMs);
      try {
        const first = await service.ask();
        fail();
        clock.mockReturnValue(nowMs + 59_900);
        expect(await service.ask()).toMatchObject({ status: 200, body: first.body });
        expect(await service.metric('cse_keys_served_total{source="stale"')).toBe(1);
        clock.mockReturnValue(nowMs + 60_000);
        expect(await service.ask()).toMatchObject({ status: 503, body: { code: 'key_unavailable' } });
      } finally {
        clock.mockRestore();
      }
      expect(
        service.lines.find(({ message }) => String(message).includes('handed out for a bounded time')),
      ).toMatchObject({
        level: 'warn',
        staleKeyId: 'key-1',
        staleForMs: expect.any(Number),
      });
    });

    it('is none at once where no time beyond its life is set', async () => {
      await start({ CSE_KEY_LIFETIME_MS: '0', CSE_STALE_MS: '0' });
      await service.ask();
      fail();
      expect((await service.ask()).status).toBe(503);
    });

    it('is not asked for by each page: the provider is left alone for a while', async () => {
      await start({ CSE_BACK_OFF_MS: '60000' });
      fail();
      const answers = await Promise.all(Array.from({ length: 50 }, () => service.ask()));
      answers.push(await service.ask(), await service.ask());
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
      expect(provider.requests).toHaveLength(1);
      const seconds = Number(answers.at(-1)?.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(25);
      expect(seconds).toBeLessThanOrEqual(60);
      await service.ask(SECOND_ID);
      expect(provider.requests).toHaveLength(2);
    });

    it('keeps no page waiting for a provider that failed before', async () => {
      await start({ CSE_KEY_LIFETIME_MS: '0', CSE_TIMEOUT_MS: '20000' });
      const first = await service.ask();
      fail();
      await service.ask();
      const hanging: unknown[] = [];
      provider.answer = (response) => void hanging.push(response);
      await waitFor(async () => {
        expect(await service.ask()).toMatchObject({ status: 200, body: first.body });
        return hanging.length === 1;
      });
      expect((await service.ask()).status).toBe(200);
      expect(provider.requests).toHaveLength(3);
    });

    it('is the new one as soon as it gives one', async () => {
      await start({ CSE_KEY_LIFETIME_MS: '0' });
      await service.ask();
      fail();
      await service.ask();
      provider.record = another('key-2');
      provider.answer = (response) => answerJson(response, 200, provider.record);
      await waitFor(async () => (await service.ask()).body.encryptionKeyId === 'key-2');
    });
  });

  it('is never other bytes under an id that was given before', async () => {
    await start({ CSE_KEY_LIFETIME_MS: '0', CSE_STALE_MS: '0' });
    await service.ask();
    provider.record = another('key-1');
    expect(await service.ask()).toMatchObject({ status: 503, body: { code: 'key_unavailable' } });
    provider.record = another('key-2');
    await waitFor(async () => (await service.ask()).body.encryptionKeyId === 'key-2');
  });

  describe('that a tokenizer refused', () => {
    it('is asked for anew and is the next one', async () => {
      await start();
      await service.ask();
      provider.record = another('key-2');
      expect((await service.ask()).body.encryptionKeyId).toBe('key-1');
      expect((await service.ask(API_KEY_ID, 'key-1')).body).toEqual(provider.record);
      expect((await service.ask()).body).toEqual(provider.record);
      expect(provider.requests).toHaveLength(2);
    });

    it('is not asked for when it is another one already', async () => {
      await start();
      await service.ask();
      expect((await service.ask(API_KEY_ID, 'key-0')).body.encryptionKeyId).toBe('key-1');
      expect(provider.requests).toHaveLength(1);
    });

    it('is asked for once, regardless of the number of reports', async () => {
      await start({ CSE_REFUSED_INTERVAL_MS: '600000' });
      await service.ask();
      await Promise.all(Array.from({ length: 100 }, () => service.ask(API_KEY_ID, 'key-1')));
      for (let n = 0; n < 20; n++) expect((await service.ask(API_KEY_ID, 'key-1')).body.encryptionKeyId).toBe('key-1');
      expect(provider.requests).toHaveLength(2);
    });

    it('is asked for again after the interval', async () => {
      await start({ CSE_REFUSED_INTERVAL_MS: '100' });
      await service.ask();
      await service.ask(API_KEY_ID, 'key-1');
      provider.record = another('key-2');
      await waitFor(async () => (await service.ask(API_KEY_ID, 'key-1')).body.encryptionKeyId === 'key-2');
    });

    it('is not handed out to the page that says so, and stays for all others while the provider gives none', async () => {
      await start({ CSE_KEY_LIFETIME_MS: '200', CSE_STALE_MS: '600000', CSE_REFUSED_INTERVAL_MS: '600000' });
      const first = await service.ask();
      fail();
      expect((await service.ask(API_KEY_ID, 'key-1')).status).toBe(503);
      await waitFor(async () => {
        expect(await service.ask()).toMatchObject({ status: 200, body: first.body });
        return (await service.metric('cse_keys_served_total{source="stale"')) > 0;
      });
      expect((await service.ask(API_KEY_ID, 'key-1')).status).toBe(503);
      provider.answer = (response) => answerJson(response, 200, provider.record);
      await waitFor(async () => {
        await service.ask();
        return (await service.ask(API_KEY_ID, 'key-1')).status === 200;
      });
    });
  });
});
