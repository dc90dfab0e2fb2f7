import { createHash } from 'node:crypto';
import { waitFor } from '@tranche/testing';
import { validateCseEventData } from '@tranche/contracts';
import { API_KEY_ID } from './cse-token-service.js';
import { rsaKey, startKeyProvider } from './key-provider.js';
import { keyEvents, ownWorld, startCse } from './running.js';

it('the first key, every other one and a weak one are announced, once, whoever is given them', async () => {
  const provider = await startKeyProvider();
  const world = ownWorld();
  const env = { ...world, CSE_KEY_LIFETIME_MS: '0' };
  const [one, other] = [await startCse(provider.url, env), await startCse(provider.url, env)];
  const askBoth = async () => {
    for (const cse of [one, other]) await cse.ask();
  };
  await askBoth();
  await askBoth();
  provider.record = { encryptionKeyId: 'key-2', encryptionPublicKey: rsaKey().toString('base64') };
  const fingerprint = createHash('sha256').update(provider.record.encryptionPublicKey, 'base64').digest('hex');
  await askBoth();
  provider.record = { encryptionKeyId: 'key-3', encryptionPublicKey: rsaKey(1_024).toString('base64') };
  await one.ask();
  const events = await keyEvents(world);
  await events.next(({ type }) => type === 'cse.key.refused');
  await one.stop();
  await other.stop();
  await waitFor(() => events.events.length >= 3);
  await events.stop();
  await provider.close();

  const announced = events.events.map(({ type, subject, source, data }) => ({ type, subject, source, ...data }));
  const ofAll = { subject: API_KEY_ID, source: 'cse-token-service', apiKeyId: API_KEY_ID };
  expect(announced).toEqual([
    { ...ofAll, type: 'cse.key.seen', encryptionKeyId: 'key-1', fingerprint: expect.any(String) },
    { ...ofAll, type: 'cse.key.rotated', encryptionKeyId: 'key-2', fingerprint, reason: 'in place of key-1' },
    {
      ...ofAll,
      type: 'cse.key.refused',
      encryptionKeyId: 'key-3',
      reason: 'encryptionPublicKey is shorter than 2048 bits',
    },
  ]);
  for (const { type, data } of events.events) expect(validateCseEventData(type, data).faults).toEqual([]);
});

it('without Kafka keys are served all the same, and what is not announced is counted', async () => {
  const provider = await startKeyProvider();
  const cse = await startCse(provider.url, { KAFKA_BROKERS: '127.0.0.1:1' });
  expect((await fetch(`${cse.app.managementUrl}/health/ready`)).status).toBe(200);
  expect((await cse.ask()).status).toBe(200);
  expect(await cse.app.stop('SIGTERM')).toBe(0);
  expect(cse.app.logs.some((line) => line.includes('events were not announced'))).toBe(true);
  await provider.close();
});
