import { gzipSync } from 'node:zlib';
import { request } from 'node:http';
import { capture, form, joinIngestStage, multipart, signed, tooLarge, type Ingest } from './support.js';

const unreadable = (more = {}) => capture({ ORDERID: 'unreadable', ...more });

describe('a request that cannot be a notification', () => {
  let ingest: Ingest;
  beforeAll(async () => {
    ingest = await joinIngestStage();
  });
  afterAll(() => ingest.close());

  const post = (body: string | FormData, contentType?: string) =>
    fetch(ingest.webhook, {
      method: 'POST',
      body,
      ...(contentType ? { headers: { 'content-type': contentType } } : {}),
    });
  const urlencoded = 'application/x-www-form-urlencoded';

  /** Sends the exact bytes; fetch would normalise them. */
  const send = (method: string, headers: Record<string, string>, body: string | Buffer, query = '') =>
    new Promise<Response>((resolve, reject) => {
      const length =
        'transfer-encoding' in headers || body.length === 0 ? {} : { 'content-length': Buffer.byteLength(body) };
      const { hostname, port, pathname } = new URL(ingest.webhook);
      const outgoing = request(
        { method, hostname, port, path: pathname + query, headers: { ...headers, ...length } },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (more: string) => (text += more));
          answer.on('end', () =>
            resolve(
              new Response(text, {
                status: answer.statusCode,
                headers: { 'content-type': String(answer.headers['content-type']) },
              }),
            ),
          );
        },
      );
      outgoing.on('error', reject).end(body);
    });

  /** The signed text stays the same, so HASH would fit. */
  const movedEqualsSign = () => {
    const { EXTRADATA, ...fields } = signed(unreadable({ EXTRADATA: 'basket=42' }));
    expect(EXTRADATA).toBe('basket=42');
    return { ...fields, 'EXTRADATA=basket': '42' };
  };

  it.each<[string, () => Promise<Response>, number]>([
    ['without parameters', () => fetch(ingest.webhook), 400],
    ['with a name twice in the query', () => fetch(`${ingest.webhook}?${form(signed(unreadable()))}&AMOUNT=1`), 400],
    ['with a name twice in the body', () => post(`${form(signed(unreadable()))}&AMOUNT=1`, urlencoded), 400],
    ['with a name twice in JSON', () => post('{"ORDERID":"1","ORDERID":"2"}', 'application/json'), 400],
    ['with nested JSON', () => post('{"ORDERID":{"toString":"1"}}', 'application/json'), 400],
    ['with JSON that is none', () => post('{', 'application/json'), 400],
    [
      'with more than 100 parameters',
      () => post(form(Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`P${i}`, '']))), urlencoded),
      400,
    ],
    ['with a body over 1 MiB', () => tooLarge(ingest.webhook, 1_048_577, 'announced'), 413],
    ['that is XML', () => post('<a/>', 'text/xml'), 400],
    [
      'in a query beside a body',
      () => send('POST', { 'content-type': urlencoded }, form(signed(unreadable())), '?ORDERID=other'),
      400,
    ],
    [
      'in a body beside the query of a GET',
      () => send('GET', { 'content-type': urlencoded }, 'A=1', `?${form(signed(unreadable()))}`),
      403,
    ],
    [
      'in a chunked body beside the query of a GET',
      () =>
        send(
          'GET',
          { 'content-type': urlencoded, 'transfer-encoding': 'chunked' },
          'A=1',
          `?${form(signed(unreadable()))}`,
        ),
      403,
    ],
    [
      'in a body that unpacks to more than 1 MiB',
      () => send('POST', { 'content-type': urlencoded, 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(2_000_000))),
      400,
    ],
    ['in chunks over 1 MiB', () => tooLarge(ingest.webhook, 1_048_577, 'chunked'), 413],
    ['in a query over 64 kB', () => fetch(`${ingest.webhook}?A=${'x'.repeat(90_000)}`), 431],
    [
      'unsigned, with bytes that are no UTF-8',
      () => send('POST', { 'content-type': urlencoded }, Buffer.from('A=\xe9', 'latin1')),
      400,
    ],
    [
      'with bytes in the query that are not escaped, which HTTP does not allow',
      () => send('GET', {}, '', '?A=\xe9'),
      400,
    ],
    ['unsigned, with an incomplete percent sign', () => fetch(`${ingest.webhook}?A=%4`), 400],
    [
      'unsigned, with JSON that is not UTF-8',
      () => send('POST', { 'content-type': 'application/json' }, Buffer.from('{"A":"\xe9"}', 'latin1')),
      400,
    ],
    ['with a name that holds the equals sign', () => fetch(`${ingest.webhook}?${form(movedEqualsSign())}`), 400],
    ['in multipart without boundary', () => post('x', 'multipart/form-data'), 400],
  ])('%s is refused', async (_how, send, status) => {
    const answer = await send();
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
  });

  it('with a file in multipart is refused', async () => {
    const body = multipart(signed(unreadable()));
    body.append('FILE', new Blob(['x']), 'x.txt');
    expect((await post(body)).status).toBe(400);
  });

  it.each<[string, () => Promise<Response>]>([
    [
      'in chunks',
      () => send('POST', { 'content-type': urlencoded, 'transfer-encoding': 'chunked' }, form(signed(unreadable()))),
    ],
    [
      'with another charset in its type',
      () => send('POST', { 'content-type': `${urlencoded}; charset=ISO-8859-1` }, form(signed(unreadable()))),
    ],
    [
      'in UTF-8 as it is',
      () => send('POST', { 'content-type': urlencoded }, form(signed(unreadable())).replaceAll('%C3%A9', 'é')),
    ],
    [
      'with its spaces and brackets in either form',
      () =>
        fetch(
          `${ingest.webhook}?${form(signed(unreadable({ 'A[0]': 'x y' })))
            .replaceAll('+', '%20')
            .replace('%5B0%5d', '[0]')}`,
        ),
    ],
    [
      'with names that nobody knows',
      () => post(multipart(signed(unreadable({ 'CUSTOM FIELD': 'x', 'x:y': '1', PRÉNOM: 'Zoé' })))),
    ],
    [
      'with a percent sign that begins no byte',
      () => fetch(`${ingest.webhook}?${form(signed(unreadable({ MESSAGE: '5% off %zz' }))).replaceAll('%25', '%')}`),
    ],
    [
      'in JSON behind a byte order mark',
      () => send('POST', { 'content-type': 'application/json' }, `\ufeff${JSON.stringify(signed(unreadable()))}`),
    ],
    ['with NUL in a value', () => fetch(`${ingest.webhook}?${form(signed(unreadable({ MESSAGE: 'a\0b' })))}`)],
    [
      'with names of prototypes',
      () =>
        fetch(
          `${ingest.webhook}?${form(signed(Object.fromEntries([...Object.entries(unreadable()), ['__proto__', 'x'], ['constructor', 'y']])))}`,
        ),
    ],
    ['of no content type', () => send('POST', {}, form(signed(unreadable())))],
    [
      'in a compressed body',
      () =>
        send('PUT', { 'content-type': urlencoded, 'content-encoding': 'gzip' }, gzipSync(form(signed(unreadable())))),
    ],
  ])('and yet is one, %s, is taken', async (_how, send) => expect(await (await send()).text()).toBe('OK'));

  it('at the limits is taken', async () => {
    const many = Object.fromEntries(Array.from({ length: 85 }, (_, i) => [`P${i}`, 'x']));
    const fields = signed(unreadable({ ORDERID: 'limits', ...many }));
    expect(Object.keys(fields)).toHaveLength(100);
    expect(await (await post(form(fields), urlencoded)).text()).toBe('OK');
    const long = signed(unreadable({ ORDERID: 'long', MESSAGE: 'x'.repeat(60_000) }));
    expect(await (await post(form(long), urlencoded)).text()).toBe('OK');
    expect(await (await fetch(`${ingest.webhook}?${form(long)}`)).text()).toBe('OK');
  });
});
