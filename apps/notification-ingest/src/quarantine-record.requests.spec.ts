import { gzipSync } from 'node:zlib';
import { opened } from './parameters-of-request.js';
import { receivedRequest } from './received-request.js';
import { quarantinedOf, requestRecord } from './quarantine-record.js';

const place = { key: 'id', partition: 0, offset: 0n };

const HASH = 'a'.repeat(64);
const requestOf = (query: string, body: string | Buffer = '', headers: Record<string, string> = {}) =>
  receivedRequest({
    method: 'POST',
    originalUrl: `/n${query}`,
    raw: { headers },
    body: Buffer.from(body as string, 'latin1'),
  });
const recordOf = (...sent: Parameters<typeof requestOf>) => {
  const about = { id: 'id', why: 'no reason', from: '192.0.2.1', receivedAt: '2027-01-02T03:04:05Z' };
  return requestRecord('unreadable', { ...about, ...opened(requestOf(...sent)) });
};
const dataOf = (...sent: Parameters<typeof requestOf>) =>
  JSON.parse(recordOf(...sent).value.toString()) as { altered: boolean; request: { query: string; body: string } };

it('holds each byte of a request, and is read with what we can read today', () => {
  const record = recordOf(`?IDENTIFIER=Shop&HASH=${HASH}`, 'MESSAGE=\xe9');
  const read = quarantinedOf({ ...place, value: record.value });
  expect(read).toMatchObject({ reason: 'unreadable', why: 'no reason', isAltered: false });
  expect(read?.id).toHaveLength(64);
  expect(read?.parameters).toEqual([
    ['IDENTIFIER', 'Shop'],
    ['HASH', HASH],
    ['MESSAGE', 'é', { name: 'MESSAGE', value: '\xe9' }],
  ]);
});

it('that still cannot be read has no parameters', () =>
  expect(quarantinedOf({ ...place, value: recordOf('', '{').value })).toMatchObject({ id: 'id', parameters: [] }));

it.each([
  ['in a text', '{"CARDCODE":"4970101200040016"'],
  ['parted by bytes', 'x=\xe9 4970\xc2\xa01012\xc2\xa00004\xc2\xa00016'],
  ['packed', gzipSync('{"CARDCODE":"4970101200040016"')],
  ['in UTF-16', [...'4970101200040016'].join('\0')],
])('holds no card number %s', (_where, body) => {
  const { altered, request } = dataOf('', body);
  expect(altered).toBe(true);
  expect(request.body.replace(/[^\d]/g, '')).not.toContain('497010');
});

it('holds nothing where a cryptogram is named, in whichever way it is written', () =>
  expect(dataOf('', 'name="CARDCVV"\r\nContent-Type: text/plain\r\n\r\n123')).toMatchObject({
    altered: true,
    request: { body: '' },
  }));

it.each([
  ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x24, 0x03, 0x19, 0])],
  ['gzip', gzipSync('A=1').subarray(0, 20)],
])('holds no body that nobody can look into: %s', (encoding, body) =>
  expect(dataOf('?A=1', body, { 'content-encoding': encoding })).toMatchObject({
    altered: true,
    request: { query: 'A=1', body: '' },
  }),
);
