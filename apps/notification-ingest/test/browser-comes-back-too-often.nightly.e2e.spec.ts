import { platformHash } from '@tranche/platform';
import { INGEST_RETURNS } from '@tranche/testing';
import { form, startIngest, type Ingest } from './support.js';

const { merchant, identifier, redirectKey } = INGEST_RETURNS;

describe('the browser that the platform sends back', () => {
  let ingest: Ingest;
  beforeAll(async () => {
    ingest = await startIngest(undefined, { FAILURES_PER_MINUTE: '20' }, { merchants: [INGEST_RETURNS] });
  });
  afterAll(() => ingest?.close());

  const fields = () => ({ IDENTIFIER: identifier, ORDERID: 'returned', EXECCODE: '0000' });
  const sign = (parameters: Record<string, string>) => ({
    ...parameters,
    HASH: platformHash(redirectKey, Object.entries(parameters)),
  });
  const comesBack = (parameters: Record<string, string>) =>
    fetch(`${ingest.app.url}/return/${merchant}?${form(parameters)}`, { redirect: 'manual' });

  it('is shown the same page with 429 where its address fails too often', async () => {
    const statuses = [];
    for (let n = 0; n < 20; n++) statuses.push((await comesBack(fields())).status);
    const answer = await comesBack(fields());
    expect(statuses).toContain(403);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await comesBack(sign(fields()))).status).toBe(303);
  });
});
