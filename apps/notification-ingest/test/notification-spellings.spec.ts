import { createHash } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { PaymentNotification } from '@tranche/contracts';
import { platformHash } from '@tranche/platform';
import { webhookInProcess, type Outcome } from './webhook-in-process.js';

jest.setTimeout(120_000);

type Pairs = readonly (readonly [name: string, value: string])[];

/** One way to send a notification. `query` and `body` are what was sent; `bytes` is the request as it goes over the wire. */
interface Sent {
  method: string;
  path: string;
  query: Buffer;
  body: Buffer;
  headers: Record<string, string>;
  chunks?: number;
  /** `body` unpacked. */
  content?: Buffer;
  wire?: (request: Buffer) => Buffer;
}
type Spelling = [name: string, sentBy: (pairs: Pairs) => Sent];

const KEY = 'the-key-of-the-spellings';
const shop = { merchant: 'shop', identifier: 'Shop', accountKey: KEY, keepsNotifiedClient: true };
const FIELDS = {
  ...{ IDENTIFIER: 'Shop', OPERATIONTYPE: 'capture', TRANSACTIONID: 'T1', AMOUNT: '30000', CURRENCY: 'EUR' },
  ...{ EXECCODE: '0000', LANGUAGE: 'fr', CLIENTIDENT: 'c 1', EXTRADATA: 'a=b', VERSION: '3.0', DESCRIPTOR: '' },
  MESSAGE: 'Opération réussie, 100 % & plus; "x" + {y}\r\n#1',
};
const fieldsOf = (order: number): Pairs => Object.entries({ ...FIELDS, ORDERID: `order-${order}` });
const signed = (pairs: Pairs): Pairs => [...pairs, ['HASH', platformHash(KEY, pairs)]];

const NONE = Buffer.alloc(0);
const URLENCODED = 'application/x-www-form-urlencoded';
const TYPE = 'multipart/form-data; boundary=xyz';
const form = (pairs: Pairs) => Buffer.from(new URLSearchParams(pairs.map(([n, v]) => [n, v])).toString());
const json = (pairs: Pairs) => Buffer.from(JSON.stringify(Object.fromEntries(pairs)));
const multipart = (pairs: Pairs, eol = '\r\n', headers = '', valueOf = (value: string) => value) =>
  Buffer.from(
    pairs
      .map(
        ([n, v]) => `--xyz${eol}Content-Disposition: form-data; name="${n}"${eol}${headers}${eol}${valueOf(v)}${eol}`,
      )
      .join('') + `--xyz--${eol}`,
  );

const get = (query: Buffer, more: Partial<Sent> = {}): Sent => ({
  ...{ method: 'GET', path: '/notifications', query, body: NONE, headers: {} },
  ...more,
});
const post = (type: string | undefined, body: Buffer, more: Partial<Sent> = {}): Sent => {
  const { headers, ...others } = more;
  const typed: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };
  return { ...get(NONE), method: 'POST', body, headers: { ...typed, ...headers }, ...others };
};

/** The four ways of the interface's public clients; everything else varies them. */
const WAYS: [string, (pairs: Pairs, more: Partial<Sent>) => Sent][] = [
  ['query', (pairs, more) => get(form(pairs), more)],
  ['urlencoded', (pairs, more) => post(URLENCODED, form(pairs), more)],
  ['multipart', (pairs, more) => post(TYPE, multipart(pairs), more)],
  ['JSON', (pairs, more) => post('application/json', json(pairs), more)],
];
const inEachWay = (what: string, more: Partial<Sent>): Spelling[] =>
  WAYS.map(([way, sentBy]) => [`${what}, ${way}`, (pairs) => sentBy(signed(pairs), more)]);
const withBody = (what: string, more: Partial<Sent>): Spelling[] => inEachWay(what, more).slice(1);

const PATHS = ['/notifications', '/notifications/', '//notifications', '/Notifications', '/NOTIFICATIONS//'];
const MORE_PATHS = ['/%6Eotifications', 'http://pay.example/notifications', '/notifications#top'];
const METHODS = ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];
const TYPES = [
  undefined,
  'text/plain',
  'application/octet-stream',
  'none',
  ';',
  'text/xml; charset=',
  'multipart/form-data',
];
const CHARSETS = ['utf-8', 'UTF8', '"iso-8859-1"', 'windows-1251', 'utf-16', 'shift_jis', 'no-charset'];

const latin1 = (pairs: Pairs): string => {
  const sorted = [...pairs].sort(([a], [b]) => (a < b ? -1 : 1));
  const clear = KEY + sorted.map(([name, value]) => `${name}=${value}${KEY}`).join('');
  const hash = createHash('sha256').update(Buffer.from(clear, 'latin1')).digest('hex');
  const escaped = (text: string) =>
    text.replace(/[^A-Za-z0-9]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return [...pairs, ['HASH', hash]].map(([n, v]) => `${escaped(n)}=${escaped(v)}`).join('&');
};
/** With its blanks and bytes beyond ASCII as they are. */
const unescaped = (query: string) =>
  Buffer.from(
    query
      .replace(/\+|%20/g, ' ')
      .replace(/%[89a-f][0-9a-f]/gi, (escape) => String.fromCharCode(parseInt(escape.slice(1), 16))),
    'latin1',
  );
const quotedPrintable = (text: string) =>
  [...Buffer.from(text)].map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
const withHash = (pairs: Pairs, change: (hash: string) => string): Pairs =>
  signed(pairs).map(([n, v]) => [n, n === 'HASH' ? change(v) : v]);

const TAKEN: Spelling[] = [
  ...[...PATHS, ...MORE_PATHS].flatMap((path) => inEachWay(`at ${path}`, { path })),
  ...METHODS.flatMap((method) => inEachWay(`by ${method}`, { method })),
  ...withBody('by GET, in the body', { method: 'GET' }),
  ...TYPES.flatMap((type): Spelling[] => [
    [`form as ${type}`, (pairs) => post(type, form(signed(pairs)))],
    [`JSON as ${type}`, (pairs) => post(type, json(signed(pairs)))],
    [`multipart as ${type}`, (pairs) => post(type, multipart(signed(pairs)))],
  ]),
  ...CHARSETS.flatMap((charset): Spelling[] => [
    [`form in ${charset}`, (pairs) => post(`${URLENCODED}; charset=${charset}`, form(signed(pairs)))],
    [`JSON in ${charset}`, (pairs) => post(`application/json;charset=${charset}`, json(signed(pairs)))],
  ]),
  ['ISO-8859-1 in the query', (pairs) => get(Buffer.from(latin1(pairs)))],
  ['ISO-8859-1 in the body', (pairs) => post(`${URLENCODED}; charset=ISO-8859-1`, Buffer.from(latin1(pairs)))],
  ['a byte order mark, form', (pairs) => post(URLENCODED, Buffer.concat([Buffer.from('\ufeff'), form(signed(pairs))]))],
  [
    'a byte order mark, JSON',
    (pairs) => post('application/json', Buffer.from(`\ufeff${json(signed(pairs)).toString()}`)),
  ],
  ['UTF-16', (pairs) => post('application/json', Buffer.from(`\ufeff${json(signed(pairs)).toString()}`, 'utf16le'))],
  ...withBody('chunks', { chunks: 50 }),
  ...withBody('chunks of a byte', { chunks: 1 }),
  ...inEachWay('HTTP/1.0', {
    wire: (bytes) => Buffer.from(bytes.toString('latin1').replace('HTTP/1.1', 'HTTP/1.0'), 'latin1'),
  }),
  ...inEachWay('no Host', {
    wire: (bytes) => Buffer.from(bytes.toString('latin1').replace('Host: x\r\n', ''), 'latin1'),
  }),
  ...inEachWay('Expect', { headers: { Expect: '100-continue' } }),
  ...(
    [
      ['gzip', gzipSync],
      ['GZIP', gzipSync],
      ['deflate', deflateSync],
      ['deflate', deflateRawSync],
      ['br', brotliCompressSync],
      ['', gzipSync],
    ] as const
  ).map(([encoding, pack]): Spelling => [
    `compressed as ${encoding}`,
    (pairs) =>
      post(URLENCODED, pack(form(signed(pairs))), { headers: encoding === '' ? {} : { 'Content-Encoding': encoding } }),
  ]),
  // A proxy that unpacks a body may leave the header.
  ...['identity', 'Identity', 'gzip', 'deflate', 'br', 'utf-8'].flatMap((encoding) =>
    withBody(`encoding ${encoding}, not compressed`, { headers: { 'Content-Encoding': encoding } }),
  ),
  ['in the other order', (pairs) => get(form([...signed(pairs)].reverse()))],
  ['HASH first', (pairs) => post('application/json', json([...signed(pairs)].reverse()))],
  ['HASH in capitals', (pairs) => get(form(withHash(pairs, (hash) => hash.toUpperCase())))],
  ['HASH padded', (pairs) => get(form(withHash(pairs, (hash) => ` ${hash}\n`)))],
  ['a line break behind a form', (pairs) => post(URLENCODED, Buffer.from(`${form(signed(pairs)).toString()}\r\n`))],
  ['&amp; in the query', (pairs) => get(Buffer.from(form(signed(pairs)).toString().replaceAll('&', '&amp;')))],
  [
    '&amp; in the body',
    (pairs) => post(URLENCODED, Buffer.from(form(signed(pairs)).toString().replaceAll('&', '&amp;'))),
  ],
  ['semicolons', (pairs) => get(Buffer.from(form(signed(pairs)).toString().replaceAll('&', ';')))],
  ['empty pairs', (pairs) => get(Buffer.from(`&&${form(signed(pairs)).toString()}&`))],
  ['spaces as %20', (pairs) => get(Buffer.from(form(signed(pairs)).toString().replaceAll('+', '%20')))],
  [
    'UTF-8 as it is',
    (pairs) => post(URLENCODED, Buffer.from(form(signed(pairs)).toString().replaceAll('%C3%A9', 'é'))),
  ],
  ...[form, multipart].map((body, at): Spelling => [
    `params[…] beside method, ${at === 0 ? 'urlencoded' : 'multipart'}`,
    (pairs) =>
      post(
        at === 0 ? URLENCODED : TYPE,
        body([['method', 'notification'], ...signed(pairs).map(([n, v]) => [`params[${n}]`, v] as const)]),
      ),
  ]),
  ['params[…] alone', (pairs) => get(form(signed(pairs).map(([n, v]) => [`params[${n}]`, v])))],
  [
    'AMOUNT as a number',
    (pairs) => post('application/json', Buffer.from(json(signed(pairs)).toString().replace('"30000"', '30000'))),
  ],
  ['multipart with LF', (pairs) => post(TYPE, multipart(signed(pairs), '\n'))],
  [
    'multipart with text around',
    (pairs) => post(TYPE, Buffer.from(`read me\r\n${multipart(signed(pairs)).toString()}bye`)),
  ],
  ['multipart behind a line break', (pairs) => post(TYPE, Buffer.from(`\r\n${multipart(signed(pairs)).toString()}`))],
  [
    'multipart in base64',
    (pairs) =>
      post(
        TYPE,
        multipart(signed(pairs), '\r\n', 'Content-Transfer-Encoding: base64\r\n', (v) =>
          Buffer.from(v).toString('base64'),
        ),
      ),
  ],
  [
    'multipart in quoted-printable',
    (pairs) =>
      post(TYPE, multipart(signed(pairs), '\r\n', 'Content-Transfer-Encoding: Quoted-Printable\r\n', quotedPrintable)),
  ],
  [
    'multipart in other capitals',
    (pairs) =>
      post(TYPE, Buffer.from(multipart(signed(pairs)).toString().replaceAll('form-data; name', 'Form-Data; Name'))),
  ],
  ['the query repeated in the body', (pairs) => post(URLENCODED, form(signed(pairs)), { query: form(signed(pairs)) })],
  [
    'half in the query, half in the body',
    (pairs) => post(URLENCODED, form(signed(pairs).slice(5)), { query: form(signed(pairs).slice(0, 5)) }),
  ],
  ['a fragment', (pairs) => get(Buffer.from(`${form(signed(pairs)).toString()}#top`))],
  ['a fragment with pairs', (pairs) => get(Buffer.from(`${form(signed(pairs)).toString()}#/a?b=1&c=2`))],
  ['a fragment behind IDENTIFIER', (pairs) => get(Buffer.from(`${form([...signed(pairs)].reverse()).toString()}#top`))],
  [
    'a fragment and a number sign that is not escaped',
    (pairs) => get(Buffer.from(`${form(signed(pairs)).toString().replaceAll('%23', '#')}#top`)),
  ],
  ['a fragment, ISO-8859-1', (pairs) => get(Buffer.from(`${latin1(pairs)}#top`))],
  ['a query in a POST without a body', (pairs) => post(URLENCODED, NONE, { query: form(signed(pairs)) })],
];

const REVERIFIED: Spelling[] = [
  ...['/notification', '/api/notifications', '/notifications/fr', '/notifications;v=1', '/Notifications.php'].flatMap(
    (path) => inEachWay(`at ${path}`, { path }),
  ),
  ...['/notifications%', '/notifications/%zz', '/%FFnotifications'].flatMap((path) =>
    inEachWay(`at ${path}`, { path }),
  ),
  ['by HEAD', (pairs) => get(form(signed(pairs)), { method: 'HEAD' })],
  [
    'bytes in the query that are not escaped',
    (pairs) => get(Buffer.from(form(signed(pairs)).toString().replaceAll('%C3%A9', 'é'))),
  ],
  ...['', '#top', '#\xe9'].flatMap((fragment): Spelling[] => [
    [`ISO-8859-1 that is not escaped, ${fragment}`, (pairs) => get(unescaped(latin1(pairs) + fragment))],
    [
      `UTF-8 and blanks that are not escaped, ${fragment}`,
      (pairs) => get(unescaped(form(signed(pairs)).toString() + fragment)),
    ],
  ]),
  ...METHODS.map((method): Spelling => [
    `a query that is not escaped, by ${method}`,
    (pairs) => get(unescaped(form(signed(pairs)).toString()), { method }),
  ]),
  ['a space in the query', (pairs) => get(Buffer.from(form(signed(pairs)).toString().replaceAll('+', ' ')))],
  [
    'lines of HTTP that end with LF',
    (pairs) =>
      get(form(signed(pairs)), {
        wire: (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
      }),
  ],
  [
    'length and chunks both announced',
    (pairs) => post(URLENCODED, form(signed(pairs)), { headers: { 'Transfer-Encoding': 'chunked' } }),
  ],
];

const QUARANTINED: Spelling[] = [
  ['a name twice', (pairs) => get(form([...signed(pairs), ['AMOUNT', '1']]))],
  ['another value in the body', (pairs) => post(URLENCODED, form([['AMOUNT', '1']]), { query: form(signed(pairs)) })],
  ['one more pair in the query', (pairs) => post(URLENCODED, form(signed(pairs)), { query: Buffer.from('shop=1') })],
  [
    'more than 100 pairs',
    (pairs) =>
      post(URLENCODED, form([...signed(pairs), ...Array.from({ length: 100 }, (_, i) => [`P${i}`, ''] as const)])),
  ],
  ['a name that cannot be one', (pairs) => get(Buffer.from(`${form(signed(pairs)).toString()}&A%3DB=1`))],
  ['another name of HASH', (pairs) => get(form(signed(pairs).map(([n, v]) => [n === 'HASH' ? 'hash' : n, v])))],
  [
    'XML',
    (pairs) =>
      post(
        'text/xml',
        Buffer.from(
          `<n>${signed(pairs)
            .map(([n, v]) => `<${n}>${v}</${n}>`)
            .join('')}</n>`,
        ),
      ),
  ],
  [
    'text/plain',
    (pairs) =>
      post(
        'text/plain',
        Buffer.from(
          signed(pairs)
            .map(([n, v]) => `${n}=${v}\r\n`)
            .join(''),
        ),
      ),
  ],
  ['nested JSON', (pairs) => post('application/json', Buffer.from(`{"params":${json(signed(pairs)).toString()}}`))],
  [
    'nested JSON, compressed',
    (pairs) => {
      const content = Buffer.from(`{"params":${json(signed(pairs)).toString()}}`);
      return post('application/json', gzipSync(content), { content });
    },
  ],
  ['a list in JSON', (pairs) => post('application/json', Buffer.from(`[${json(signed(pairs)).toString()}]`))],
  ['half of a JSON text', (pairs) => post('application/json', json(signed(pairs)).subarray(0, -1))],
  [
    'JSON in UTF-16 without a mark',
    (pairs) => post('application/json', Buffer.from(json(signed(pairs)).toString(), 'utf16le')),
  ],
  ['JSON in ISO-8859-1', (pairs) => post('application/json', Buffer.from(json(signed(pairs)).toString(), 'latin1'))],
  ['multipart without an end', (pairs) => post(TYPE, multipart(signed(pairs)).subarray(0, -9))],
  ['multipart of another boundary', (pairs) => post('multipart/form-data; boundary=abc', multipart(signed(pairs)))],
  [
    'multipart in another encoding',
    (pairs) => post(TYPE, multipart(signed(pairs), '\r\n', 'Content-Transfer-Encoding: x-own\r\n')),
  ],
  [
    'a file in multipart',
    (pairs) =>
      post(TYPE, Buffer.from(multipart(signed(pairs)).toString().replace('name="HASH"', 'name="HASH"; filename="h"'))),
  ],
  ['another key', (pairs) => get(form([...pairs, ['HASH', platformHash('another-key-of-a-shop', pairs)]]))],
  ['another IDENTIFIER', (pairs) => get(form(signed(pairs.map(([n, v]) => [n, n === 'IDENTIFIER' ? 'Shop 2' : v]))))],
];

/** The request as it goes over the wire. */
function piecesOf({ method, path, query, body, headers, chunks, wire = (bytes) => bytes }: Sent): Buffer[] {
  const url = query.length > 0 ? Buffer.concat([Buffer.from(`${path}?`), query]) : Buffer.from(path);
  const framing: Record<string, string> =
    chunks !== undefined
      ? { 'Transfer-Encoding': 'chunked' }
      : body.length > 0
        ? { 'Content-Length': `${body.length}` }
        : {};
  const lines = Object.entries({ ...headers, ...framing }).map(([name, value]) => `${name}: ${value}\r\n`);
  const end = Buffer.from(` HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.join('')}\r\n`);
  return [
    wire(Buffer.concat([Buffer.from(`${method} `), url, end, chunks === undefined ? body : chunked(body, chunks)])),
  ];
}

function chunked(body: Buffer, size: number): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) {
    const piece = body.subarray(at, at + size);
    pieces.push(Buffer.from(`${piece.length.toString(16)};x=y\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]);
}

/** `lost` and `changed` must not occur. */
async function becameOf(
  pairs: Pairs,
  { query, body, content = body }: Sent,
  { status, body: answer, published, quarantined }: Outcome,
): Promise<string> {
  const [notification, ...others] = published;
  const [kept, ...more] = quarantined;
  if (others.length + more.length > 0) return 'more than once';
  if (notification !== undefined) {
    return status === 200 && answer === 'OK' && isSame(pairs, notification) ? 'taken' : 'changed';
  }
  if (kept?.read === undefined || status < 400) return status === 200 ? 'acknowledged and lost' : 'lost';
  const {
    request,
    parameters = [],
    altered,
    reason,
  } = kept.data as { request?: Record<string, string>; parameters?: Pairs; altered: boolean; reason: string };
  const isKept = ([name, value]: Pairs[number]) =>
    parameters.some(([kept, text]) => kept === name && (text === value || name === 'IDENTIFIER'));
  const isWhole =
    request === undefined
      ? pairs.every(isKept) && parameters.some(([name]) => name === 'HASH')
      : request.query === query.toString('latin1') && request.body?.includes(content.toString('latin1'));
  if (!isWhole || altered || reason === '') return 'changed';
  return isSame(pairs, await webhook.reverify(kept.read)) ? 'taken by reverify' : 'quarantined';
}

function isSame(pairs: Pairs, notification: PaymentNotification | undefined): boolean {
  const { parameters = {} } = notification ?? {};
  return Object.keys(parameters).length === pairs.length && pairs.every(([n, v]) => parameters[n] === v);
}

let webhook: Awaited<ReturnType<typeof webhookInProcess>>;
beforeAll(async () => (webhook = await webhookInProcess([shop])));
afterAll(() => webhook.stop());

async function outcomesOf(spellings: readonly Spelling[], firstOrder: number): Promise<Record<string, string[]>> {
  const outcomes: Record<string, string[]> = {};
  for (const [at, [name, sentBy]] of spellings.entries()) {
    const pairs = fieldsOf(firstOrder + at);
    const sent = sentBy(pairs);
    const became = await becameOf(pairs, sent, await webhook.send(...piecesOf(sent)));
    (outcomes[became] ??= []).push(name);
  }
  return outcomes;
}

describe('one signed notification', () => {
  it(`is taken as it was signed in each of ${TAKEN.length} spellings that can be read [Events.{delivery-method,encoding}]`, async () => {
    expect(TAKEN.length).toBeGreaterThanOrEqual(130);
    expect(await outcomesOf(TAKEN, 0)).toEqual({ taken: TAKEN.map(([name]) => name) });
  });

  it(`is in quarantine, from which reverify takes it, in each of ${REVERIFIED.length} that no parser or route takes`, async () => {
    expect(REVERIFIED.length).toBeGreaterThanOrEqual(48);
    expect(await outcomesOf(REVERIFIED, 1_000)).toEqual({ 'taken by reverify': REVERIFIED.map(([name]) => name) });
  });

  it(`is in quarantine as it came in each of ${QUARANTINED.length} that no HASH fits, none acknowledged`, async () => {
    expect(QUARANTINED.length).toBeGreaterThanOrEqual(20);
    expect(await outcomesOf(QUARANTINED, 2_000)).toEqual({ quarantined: QUARANTINED.map(([name]) => name) });
  });

  it('at a path with a malformed percent escape is answered 400 with the reason', async () => {
    const { status, body, quarantined } = await webhook.send(
      ...piecesOf(post(URLENCODED, form(signed(fieldsOf(3_000))), { path: '/notifications%' })),
    );
    expect([status, JSON.parse(body)]).toMatchObject([400, { code: 'unreadable_notification' }]);
    expect(quarantined[0]?.read?.why).toBe('a percent sign in the path begins no escape of UTF-8');
  });
});
