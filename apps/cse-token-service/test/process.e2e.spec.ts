import { startApp, type RunningApp } from '@tranche/testing';
import { API_KEY_ID, merchantsFile, ORIGIN } from './cse-token-service.js';
import { startKeyProvider } from './key-provider.js';

describe('the built cse-token-service', () => {
  let app: RunningApp | undefined;
  afterEach(async () => {
    await app?.stop('SIGKILL');
    app = undefined;
  });

  it('starts, says that it is well, serves and ends with 0 on SIGTERM; its output holds no card data', async () => {
    const provider = await startKeyProvider();
    app = await startApp('cse-token-service', {
      CSE_KEYS_URL: provider.url,
      CSE_ORIGINS: ORIGIN,
      MERCHANTS_FILE: merchantsFile(),
      LOG_LEVEL: 'debug',
    });
    expect((await fetch(`${app.managementUrl}/health/live`)).status).toBe(200);
    const { url } = app;
    const post = (body: object) =>
      fetch(`${url}/v1/cse-keys`, {
        method: 'POST',
        headers: { origin: ORIGIN, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect(await (await post({ apiKeyId: API_KEY_ID })).json()).toEqual(provider.record);
    expect((await post({ apiKeyId: API_KEY_ID, CARDCODE: '4111111111111111' })).status).toBe(400);
    expect(await (await fetch(`${app.managementUrl}/metrics`)).text()).toContain('cse_keys_served_total');
    expect(await app.stop('SIGTERM')).toBe(0);
    const printed = app.logs.join('\n');
    expect(printed).toContain('cse-token-service has stopped');
    for (const text of ['4111111111111111', 'CARDCODE', 'canary']) expect(printed).not.toContain(text);
    await provider.close();
  });
});
