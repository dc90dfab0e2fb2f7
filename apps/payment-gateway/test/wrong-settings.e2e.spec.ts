import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApp } from '@tranche/testing';

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'tranche-spec-'))));
afterAll(() => rm(folder, { recursive: true }));

it('names every missing and wrong setting at once and exits 78', async () => {
  const merchants = join(folder, 'merchants.json');
  await writeFile(merchants, '[{"merchant":"Not Valid"}]');
  const wrong = {
    MERCHANTS_FILE: merchants,
    GATEWAY_IN_FLIGHT: '0',
    PAYMENT_URL: 'nonsense',
    KAFKA_SASL_MECHANISM: 'plain',
    PLATFORM_TIMEOUT_MS: 'soon',
  };
  const app = await startApp('payment-gateway', { AUTH_SERVICE_KEY: 'not-used', ...wrong }, { readyPath: undefined });
  expect(await app.exited).toBe(78);
  const said = app.logs.join('\n');
  for (const name of [
    'MERCHANTS_FILE',
    'GATEWAY_IN_FLIGHT',
    'PAYMENT_URL',
    'KAFKA_SASL_USERNAME',
    'KAFKA_SASL_PASSWORD',
    'PLATFORM_TIMEOUT_MS',
  ])
    expect(said).toContain(`${name}:`);
});
