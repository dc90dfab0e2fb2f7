import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND_TOPICS, encodeCloudEvent, SIGNATURE_HEADER, signCommand, TOPICS } from '@tranche/contracts';
import { createKafkaClient, TailConsumer, type ConsumedRecord } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { aPartnerAAuthorization, infrastructure, waitFor } from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { writeMerchants } from './merchants-file.js';

const folder = mkdtempSync(join(tmpdir(), 'tranche-signed-'));
const file = join(folder, 'merchants.json');
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const { merchant } = aPartnerAAuthorization();
const topic = COMMAND_TOPICS['partner-a'].name;

let stack: GatewayStack;
beforeAll(async () => {
  const keys = { publisherKeys: [{ kid: 'k1', publicKey: publicKey.export({ format: 'jwk' }).x }] };
  const demanding = { ...keys, requireSignatures: true };
  writeMerchants(file, (all) => all.map((one) => (one.merchant === merchant ? { ...one, ...demanding } : one)));
  stack = await startGatewayStack({ MERCHANTS_FILE: file, ENVIRONMENT_ID: 'spec' });
});
afterAll(async () => {
  await stack.stop();
  rmSync(folder, { recursive: true });
});

const encodedOf = (orderId: string, id: string) =>
  encodeCloudEvent({
    id,
    source: '/spec',
    type: 'payment.authorize',
    time: new Date().toISOString(),
    data: aPartnerAAuthorization({ orderId }),
  });

async function sendSigned(orderId: string, id: string, environmentId = 'spec'): Promise<void> {
  const key = `${merchant}/${orderId}`;
  const encoded = encodedOf(orderId, id);
  const by = { kid: 'k1', privateKey, environmentId };
  const signature = signCommand({ topic: stack.prefix + topic, key, ...encoded }, by);
  await stack.sendRecord(topic, key, encoded.value, { ...encoded.headers, [SIGNATURE_HEADER]: signature });
}

async function sendUnsigned(orderId: string, id: string): Promise<void> {
  const { value, headers } = encodedOf(orderId, id);
  await stack.sendRecord(topic, `${merchant}/${orderId}`, value, headers);
}

it('is a dead letter without its content, of which no event tells; a known one gets its result', async () => {
  await sendSigned('signed', 'command-1');
  const first = await stack.event('signed', 'payment.authorize.redirect_required');
  await sendUnsigned('signed', 'command-1');
  const again = await stack.event('signed', 'payment.authorize.redirect_required', 2);
  expect(again.id).toBe(first.id);

  await sendUnsigned('signed', 'command-2');
  await sendUnsigned('unsigned', 'command-3');
  await sendSigned('elsewhere', 'command-4', 'staging');
  const letters: ConsumedRecord[] = [];
  const tail = new TailConsumer({
    client: createKafkaClient({ brokers: infrastructure().brokers.split(','), clientId: 'spec' }, silentLog),
    topic: TOPICS.commandsDeadLetter.name,
    topicPrefix: stack.prefix,
    from: new Map(Array.from({ length: 12 }, (_, partition) => [partition, 0n] as const)),
    log: silentLog,
    onRecords: (_partition, records) => void letters.push(...records),
  });
  await tail.start();
  await waitFor(() => letters.length === 3, { what: 'the dead letters' });
  await tail.stop();
  for (const { value, headers } of letters) {
    expect(value).toBeNull();
    expect(headers['dead-letter-code']).toBe('signature_refused');
  }
  expect(stack.typesOf('unsigned')).toEqual([]);
  expect(stack.typesOf('signed')).not.toContain('payment.command.rejected');
  expect(stack.typesOf('elsewhere')).toEqual([]);
  expect((await stack.ledgerOf('unsigned')).calls).toEqual([]);
  expect((await stack.ledgerOf('elsewhere')).calls).toEqual([]);
  expect((await stack.ledgerOf('signed')).calls).toHaveLength(1);
}, 120_000);
