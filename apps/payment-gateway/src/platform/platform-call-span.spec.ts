import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import type { Merchant } from '@tranche/contracts';
import type { PlatformReply } from '@tranche/platform';
import { createLogger, Metrics } from '@tranche/service-kit';
import type { BearerTokenClient } from './bearer-token.client.js';
import { PlatformCaller } from './platform-caller.service.js';
import type { PlatformClient } from './platform.client.js';

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
beforeAll(() => provider.register());
afterAll(() => provider.shutdown());
beforeEach(() => exporter.reset());

const merchant = { merchant: 'shop-fr', accountKey: 'a-secret' } as Merchant;

async function spanOf(reply: PlatformReply) {
  const platform = { post: () => Promise.resolve(reply), urlCount: 1 } as unknown as PlatformClient;
  const log = createLogger({ name: 'test', level: 'silent' });
  const caller = new PlatformCaller(platform, {} as BearerTokenClient, log, new Metrics('test'));
  const form = { operation: 'capture', merchant, path: '/process', body: 'AMOUNT=100' } as const;
  await caller.send(form, { url: 0, maySend: () => true } as never);
  return exporter.getFinishedSpans().map(({ name, attributes }) => ({ name, ...attributes }));
}

const answered = (body: object): PlatformReply => ({ kind: 'answered', status: 200, body: JSON.stringify(body) });

it.each<[string, PlatformReply, string, string]>([
  ['an answer', answered({ OPERATIONTYPE: 'capture', EXECCODE: '0000', MESSAGE: 'ok' }), 'succeeded', '0000'],
  ['a refusal', answered({ OPERATIONTYPE: 'capture', EXECCODE: '4001', MESSAGE: 'no' }), 'refused', '4001'],
  ['a lost one', { kind: 'lost', reason: 'timeout', message: 'none' }, 'timeout', 'none'],
])('the span of a call says operation, merchant and outcome: %s', async (_what, reply, outcome, execCode) => {
  expect(await spanOf(reply)).toEqual([
    {
      name: 'platform capture',
      'tranche.operation': 'capture',
      'tranche.merchant': 'shop-fr',
      'tranche.outcome': outcome,
      'tranche.execcode': execCode,
    },
  ]);
});
