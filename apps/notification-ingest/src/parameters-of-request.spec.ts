import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { opened, parametersOf } from './parameters-of-request.js';

const request = (body: Buffer, contentEncoding: string) => ({
  ...{ method: 'POST', path: '/notifications', query: Buffer.alloc(0), contentType: 'text/plain' },
  ...{ body, contentEncoding },
});

it('unpacks the body of a refused request once', () => {
  const refused = request(gzipSync('A=1'), 'gzip');
  expect(parametersOf(refused)).toEqual({ unreadable: 'IDENTIFIER or HASH is missing' });
  expect(opened(refused).request.body).toBe(opened({ ...refused }).request.body);
});

it.each(['gzip', 'deflate', 'br', 'zstd'])('compressed bytes that cannot be read are kept nowhere (%s)', (encoding) => {
  const bytes = Buffer.from(Array.from({ length: 200 }, (_, at) => (at * 7) % 256));
  expect(parametersOf(request(bytes, encoding))).toHaveProperty('unreadable');
  expect(opened(request(bytes, encoding))).toMatchObject({ isHidden: true, request: { body: Buffer.alloc(0) } });
});

const form = Buffer.from(`IDENTIFIER=x&HASH=${'a'.repeat(64)}&CARDCODE=4970101200040016&MESSAGE=the payment was taken`);

it.each([
  ['gzip twice', gzipSync(gzipSync(form)), 'gzip, gzip'],
  ['gzip twice, unlabelled', gzipSync(gzipSync(form)), ''],
  ['zlib without a label', deflateSync(form), ''],
  ['brotli without a label', brotliCompressSync(form), ''],
])('a body that is no text is hidden: %s', (_how, body, encoding) => {
  const sent = { ...request(body, encoding), query: Buffer.from(`HASH=${'a'.repeat(64)}`) };
  expect(parametersOf(sent)).toHaveProperty('unreadable');
  expect(opened(sent)).toMatchObject({ isHidden: true, request: { body: Buffer.alloc(0) } });
});

const withControl = Buffer.from(`${form.toString()}\x1f`);
it.each([
  ['x-deflate', deflateSync(form), 'x-deflate'],
  ['deflate, identity', deflateSync(form), 'deflate, identity'],
  ['deflate with a parameter', deflateSync(form), 'deflate;q=1'],
  ['gzip and a line break', Buffer.concat([gzipSync(form), Buffer.from('\r\n')]), 'gzip'],
  ['a control character under a header that was left', withControl, 'gzip'],
  ['a control character without a header', withControl, ''],
])('reads %s', (_how, body, encoding) => {
  expect(parametersOf(request(body, encoding))).toHaveLength(4);
  expect(opened(request(body, encoding)).isHidden).toBe(false);
});
