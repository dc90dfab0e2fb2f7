import { readLookUpAnswer } from './look-up-answer.js';

const answer = (body: unknown, status = 200) =>
  readLookUpAnswer({ kind: 'answered', status, body: typeof body === 'string' ? body : JSON.stringify(body) });

it('reads the rows, of each only what is text', () => {
  const DATA = [{ ORDERID: 'o', EXECCODE: '0000', AMOUNT: 1, NESTED: {} }, 'no row', null, []];
  expect(answer({ OPERATIONTYPE: 'getTransactions', EXECCODE: '0000', DATA })).toEqual({
    kind: 'rows',
    rows: [
      new Map([
        ['ORDERID', 'o'],
        ['EXECCODE', '0000'],
      ]),
      new Map(),
      new Map(),
      new Map(),
    ],
  });
});

it('reads no more than 200', () => {
  const DATA = Array.from({ length: 300 }, () => ({ ORDERID: 'o' }));
  expect((answer({ EXECCODE: '0000', DATA }) as { rows: unknown[] }).rows).toHaveLength(200);
});

it.each([
  ['an empty list', { EXECCODE: '0000', DATA: [] }, 200, { kind: 'rows', rows: [] }],
  ['a refusal', { EXECCODE: '3003' }, 200, { kind: 'refused', execCode: '3003' }],
  ['an unknown account', { EXECCODE: '1002' }, 200, { kind: 'refused', execCode: '1002' }],
  ['a refused bearer token', '', 401, { kind: 'unauthorized' }],
  ['maintenance', { EXECCODE: '5003' }, 200, { kind: 'failed' }],
  ['a slowdown', { EXECCODE: '3004' }, 200, { kind: 'failed' }],
  ['a code that nobody knows', { EXECCODE: '9999' }, 200, { kind: 'failed' }],
  ['no DATA', { EXECCODE: '0000' }, 200, { kind: 'failed' }],
  ['DATA that is no list', { EXECCODE: '0000', DATA: { length: 1 } }, 200, { kind: 'failed' }],
  ['no EXECCODE', { DATA: [] }, 200, { kind: 'failed' }],
  ['a list', [], 200, { kind: 'failed' }],
  ['null', 'null', 200, { kind: 'failed' }],
  ['a page', '<html>', 200, { kind: 'failed' }],
  ['nothing', '', 200, { kind: 'failed' }],
  ['an error of the server', { EXECCODE: '0000', DATA: [] }, 502, { kind: 'failed' }],
  ['a redirect', '', 302, { kind: 'failed' }],
])('%s', (_, body, status, expected) => {
  expect(answer(body, status)).toMatchObject(expected);
});

it('no answer', () => {
  expect(readLookUpAnswer({ kind: 'unanswered', message: 'ECONNREFUSED' })).toEqual({ kind: 'failed', message: 'ECONNREFUSED' });
});
