import { gzipSync } from 'node:zlib';
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
