import { capture, form, multipart, signed, startIngest, type Ingest } from './support.js';

describe('a request that cannot be a notification', () => {
  let ingest: Ingest;
  beforeAll(async () => {
    ingest = await startIngest();
  });
  afterAll(() => ingest.close());

  const post = (body: string | FormData, contentType?: string) =>
    fetch(ingest.webhook, { method: 'POST', body, ...(contentType ? { headers: { 'content-type': contentType } } : {}) });
  const urlencoded = 'application/x-www-form-urlencoded';

  it.each<[string, () => Promise<Response>, number]>([
    ['without parameters', () => fetch(ingest.webhook), 400],
    ['with a name twice in the query', () => fetch(`${ingest.webhook}?${form(signed(capture()))}&AMOUNT=1`), 400],
    ['with a name twice in the body', () => post(`${form(signed(capture()))}&AMOUNT=1`, urlencoded), 400],
    ['with a name twice in JSON', () => post('{"ORDERID":"1","ORDERID":"2"}', 'application/json'), 400],
    ['with nested JSON', () => post('{"ORDERID":{"toString":"1"}}', 'application/json'), 400],
    ['with JSON that is none', () => post('{', 'application/json'), 400],
    [
      'with more than 100 parameters',
      () => post(form(Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`P${i}`, '']))), urlencoded),
      400,
    ],
    ['with a body over 64 kB', () => post(`A=${'x'.repeat(65_536)}`, urlencoded), 413],
    ['in a content type that is not accepted', () => post('<a/>', 'text/xml'), 415],
    ['in multipart without boundary', () => post('x', 'multipart/form-data'), 400],
  ])('%s is refused', async (_how, send, status) => {
    const answer = await send();
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
  });

  it('with a file in multipart is refused', async () => {
    const body = multipart(signed(capture()));
    body.append('FILE', new Blob(['x']), 'x.txt');
    expect((await post(body)).status).toBe(400);
  });

  it('at the limits is taken', async () => {
    const many = Object.fromEntries(Array.from({ length: 85 }, (_, i) => [`P${i}`, 'x']));
    const fields = signed(capture({ ORDERID: 'limits', ...many }));
    expect(Object.keys(fields)).toHaveLength(100);
    expect(await (await post(form(fields), urlencoded)).text()).toBe('OK');
    const long = signed(capture({ ORDERID: 'long', MESSAGE: 'x'.repeat(60_000) }));
    expect(await (await post(form(long), urlencoded)).text()).toBe('OK');
    expect(await (await fetch(`${ingest.webhook}?${form(long)}`)).text()).toBe('OK');
  });
});
