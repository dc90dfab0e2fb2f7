import type { CallResult } from '@tranche/contracts';
import { classifyReply, type PlatformReply } from './answer.js';

const json = (fields: Record<string, unknown>, status = 200): PlatformReply => ({
  kind: 'answered',
  status,
  body: JSON.stringify(fields),
});
const said = (EXECCODE: string, fields: Record<string, unknown> = {}) =>
  json({ OPERATIONTYPE: 'capture', EXECCODE, MESSAGE: 'text', ...fields });
/** With a byte order mark, which some servers write. */
const marked = (reply: PlatformReply) => ({ ...reply, ...('body' in reply && { body: `\ufeff${reply.body}` }) });
function short(classified: CallResult): string {
  return classified.record === 'OUTCOME'
    ? `OUTCOME ${classified.result}${classified.partial ? ' partly' : ''}`
    : `${classified.record} ${classified.reason}`;
}

describe('what one call came to', () => {
  it.each<[string, PlatformReply, string]>([
    ['a byte order mark in front of it', marked(said('0000')), 'OUTCOME succeeded'],
    ['no connection', { kind: 'not_sent', reason: 'unreachable', message: '' }, 'NOT_EXECUTED unreachable'],
    ['too late to send', { kind: 'not_sent', reason: 'send_deadline', message: '' }, 'NOT_EXECUTED send_deadline'],
    ['no whole answer in time', { kind: 'lost', reason: 'timeout', message: '' }, 'IN_DOUBT timeout'],
    [
      'a reset after the first byte',
      { kind: 'lost', reason: 'connection_lost', message: '' },
      'IN_DOUBT connection_lost',
    ],
    ['0000', said('0000'), 'OUTCOME succeeded'],
    ['0004', said('0004'), 'OUTCOME succeeded partly'],
    ['2005', said('2005'), 'OUTCOME refused'],
    ['4001', said('4001'), 'OUTCOME refused'],
    ['an unknown code of a refused family', said('4999'), 'OUTCOME refused'],
    ['an unknown code', said('7777'), 'IN_DOUBT unknown_execcode'],
    ['an unknown 5xxx', said('5999'), 'IN_DOUBT unknown_execcode'],
    ['2017', said('2017'), 'NOT_EXECUTED execcode'],
    ['3004', said('3004'), 'NOT_EXECUTED execcode'],
    ['5001', said('5001'), 'NOT_EXECUTED execcode'],
    ['5002', said('5002'), 'NOT_EXECUTED execcode'],
    ['5003', said('5003'), 'NOT_EXECUTED execcode'],
    ['5004', said('5004'), 'IN_DOUBT platform_in_doubt'],
    ['0002 on a capture', said('0002'), 'IN_DOUBT unknown_execcode'],
    ['0003 on a capture', said('0003'), 'IN_DOUBT unknown_execcode'],
    ['another OPERATIONTYPE', said('0000', { OPERATIONTYPE: 'refund' }), 'IN_DOUBT wrong_operation_type'],
    ['no OPERATIONTYPE', json({ EXECCODE: '0000' }), 'IN_DOUBT wrong_operation_type'],
    ['EXECCODE as a number', said('0000', { EXECCODE: 4001 }), 'OUTCOME refused'],
    ['EXECCODE as a number that is no code', said('0000', { EXECCODE: 0 }), 'IN_DOUBT unknown_execcode'],
    ['EXECCODE as no text or number', said('0000', { EXECCODE: true }), 'IN_DOUBT unreadable_answer'],
    ['a known refusal without OPERATIONTYPE', json({ EXECCODE: '1003' }), 'OUTCOME refused'],
    ['an unknown refusal without OPERATIONTYPE', json({ EXECCODE: '4999' }), 'IN_DOUBT wrong_operation_type'],
    ['a refusal of another OPERATIONTYPE', said('1003', { OPERATIONTYPE: 'refund' }), 'IN_DOUBT wrong_operation_type'],
    ['HTTP 400 with a known refusal', json({ EXECCODE: '1002' }, 400), 'OUTCOME refused'],
    ['HTTP 400 with a success', json({ OPERATIONTYPE: 'capture', EXECCODE: '0000' }, 400), 'IN_DOUBT http_status'],
    [
      'HTTP 400 with a code of maintenance',
      json({ OPERATIONTYPE: 'capture', EXECCODE: '5003' }, 400),
      'IN_DOUBT http_status',
    ],
    [
      'HTTP 502 with a known refusal',
      json({ OPERATIONTYPE: 'capture', EXECCODE: '4001' }, 502),
      'IN_DOUBT http_status',
    ],
    ['an EXECCODE beyond all measure', said('0'.repeat(5_000_000)), 'IN_DOUBT unreadable_answer'],
    ...['EXECCODE":"2017', '\\u0045XECCODE":"0000', 'OPERATIONTYPE":"refund', 'TRANSACTIONID":"T2'].map(
      (second): [string, PlatformReply, string] => [
        `two values, the second ${second}`,
        { kind: 'answered', status: 200, body: `{"EXECCODE":"0000","OPERATIONTYPE":"capture","TRANSACTIONID":"T1","${second}"}` }, // prettier-ignore
        'IN_DOUBT unreadable_answer',
      ],
    ),
    ['no EXECCODE', json({ OPERATIONTYPE: 'capture' }), 'IN_DOUBT unreadable_answer'],
    ['nothing', { kind: 'answered', status: 200, body: '' }, 'IN_DOUBT unreadable_answer'],
    [
      'half an answer',
      { kind: 'answered', status: 200, body: '{"EXECCODE":"0000","OPER' },
      'IN_DOUBT unreadable_answer',
    ],
    ['HTML', { kind: 'answered', status: 200, body: '<html>' }, 'IN_DOUBT unreadable_answer'],
    ['a list', { kind: 'answered', status: 200, body: '[]' }, 'IN_DOUBT unreadable_answer'],
    ['null', { kind: 'answered', status: 200, body: 'null' }, 'IN_DOUBT unreadable_answer'],
    [
      'HTTP 500 with a readable body',
      json({ OPERATIONTYPE: 'capture', EXECCODE: '0000' }, 500),
      'IN_DOUBT http_status',
    ],
    ['HTTP 302', { kind: 'answered', status: 302, body: '' }, 'IN_DOUBT http_status'],
    ['HTTP 404', { kind: 'answered', status: 404, body: '' }, 'IN_DOUBT http_status'],
    ['HTTP 204', { kind: 'answered', status: 204, body: '' }, 'IN_DOUBT http_status'],
    ['HTTP 401 without a bearer challenge', { kind: 'answered', status: 401, body: '' }, 'IN_DOUBT http_status'],
    [
      'HTTP 401 with one',
      { kind: 'answered', status: 401, wwwAuthenticate: 'Bearer error="invalid_token"', body: '' },
      'NOT_EXECUTED auth_refused',
    ],
  ])('%s', (_what, reply, expected) => {
    expect(short(classifyReply(reply, 'capture', true))).toBe(expected);
  });

  it('takes a 401 for a doubt when no bearer token was sent', () => {
    const reply: PlatformReply = { kind: 'answered', status: 401, wwwAuthenticate: 'Bearer', body: '' };
    expect(short(classifyReply(reply, 'capture', false))).toBe('IN_DOUBT http_status');
  });

  it.each([
    ['authorize', 'authorization', '0001', 'OUTCOME redirect_required'],
    ['authorize', 'authorization', '0002', 'OUTCOME redirect_required'],
    ['authorize', 'authorization', '0003', 'OUTCOME pending'],
    ['pay', 'payment', '0003', 'OUTCOME pending'],
  ] as const)(
    'lets %s wait on %s %s [Service.{3,4}.redirect] [States.statuses] [States.to-0002] [Errors.{0000,0002,0003}]',
    (operation, OPERATIONTYPE, code, expected) => {
      expect(short(classifyReply(said(code, { OPERATIONTYPE }), operation, false))).toBe(expected);
    },
  );

  it.each([
    ['0001', { redirectHtmlDropped: true }],
    ['0002', { redirectHtmlDropped: true }],
    ['0003', {}],
  ])('says of a redirect without a page that there is none: %s', (code, dropped) => {
    const classified = classifyReply(said(code, { OPERATIONTYPE: 'payment' }), 'pay', false);
    const { redirectHtmlDropped } = classified.record === 'OUTCOME' ? classified.answer : {};
    expect(JSON.parse(JSON.stringify({ redirectHtmlDropped }))).toEqual(dropped);
  });
});

describe('the platform’s own words', () => {
  it('are kept', () => {
    const classified = classifyReply(
      said('0000', { TRANSACTIONID: 'T1', DESCRIPTOR: 'SHOP', AMOUNT: '1500' }),
      'capture',
      false,
    );
    expect(classified).toMatchObject({
      answer: { execCode: '0000', transactionId: 'T1', descriptor: 'SHOP', message: 'text', amount: 1500 },
    });
  });

  it.each([
    [255, undefined],
    [256, true],
  ])('DESCRIPTOR of %i characters', (length, descriptorTruncated) => {
    const classified = classifyReply(said('0000', { DESCRIPTOR: 'x'.repeat(length) }), 'capture', false);
    const answer = classified.record === 'OUTCOME' ? classified.answer : {};
    expect([answer.descriptor, answer.descriptorTruncated]).toEqual(['x'.repeat(255), descriptorTruncated]);
  });

  it.each([' 0000', '0000 ', '\t0000\r\n', '\u00a00000'])('blanks around a value are no part of it: %j', (execCode) => {
    const fields = { TRANSACTIONID: ' T1 ', OPERATIONTYPE: 'capture ', MESSAGE: ' two  words ', AMOUNT: '1500 ' };
    expect(classifyReply(said(execCode, fields), 'capture', false)).toEqual({
      ...{ record: 'OUTCOME', result: 'succeeded' },
      answer: { execCode: '0000', transactionId: 'T1', message: 'two  words', amount: 1500 },
    });
  });

  it('numbers are read as they were written [Transaction.AMOUNT] [Transaction.TRANSACTIONID]', () => {
    const body = '{"OPERATIONTYPE":"capture","EXECCODE":"0000","TRANSACTIONID": 12345678901234567890,"AMOUNT":25000}';
    expect(classifyReply({ kind: 'answered', status: 200, body }, 'capture', false)).toMatchObject({
      answer: { transactionId: '12345678901234567890', amount: 25_000 },
    });
  });

  it('another case is another TRANSACTIONID', () => {
    const classified = classifyReply(said('0000', { TRANSACTIONID: 't1' }), 'capture', false);
    expect(classified).toMatchObject({ answer: { transactionId: 't1' } });
  });

  it.each(['000000000', '00 00', 'é\né', '4001x', 'x'.repeat(65_536)])(
    'an EXECCODE that is none is kept as it came, and proves nothing',
    (execCode) => {
      expect(classifyReply(said(execCode), 'capture', false)).toMatchObject({
        record: 'IN_DOUBT',
        reason: 'unknown_execcode',
        execCode,
      });
    },
  );

  it.each([
    [4096, undefined],
    [4097, true],
  ])('MESSAGE of %i characters [Transaction.{DESCRIPTOR,MESSAGE}]', (length, messageTruncated) => {
    const classified = classifyReply(said('0000', { MESSAGE: 'x'.repeat(length) }), 'capture', false);
    expect(classified).toMatchObject({
      answer: { message: 'x'.repeat(4096), ...(messageTruncated ? { messageTruncated } : {}) },
    });
  });

  it.each([
    [12 * 1024 * 1024 - 2, 'x', 'kept'],
    [12 * 1024 * 1024 - 1, 'x', 'dropped'],
    [2_400_000, '\u0001', 'dropped'],
  ])(
    'REDIRECTHTML of %i times %j is %s: its size in a record counts [Transaction.REDIRECTHTML] [Authorization.result.*]',
    (length, character, expected) => {
      const html = { OPERATIONTYPE: 'authorization', REDIRECTHTML: character.repeat(length) };
      const classified = classifyReply(said('0002', html), 'authorize', false);
      const answer = classified.record === 'OUTCOME' ? classified.answer : {};
      expect(answer.redirectHtmlDropped ? 'dropped' : answer.redirectHtml?.length === length && 'kept').toBe(expected);
    },
  );

  it.each([
    ['without REDIRECTHTML', {}],
    ['with an empty one', { REDIRECTHTML: '' }],
    ['with one that is not base64', { REDIRECTHTML: '<html></html>' }],
  ])('0002 %s say that there is no page to show', (_what, html) => {
    const reply = said('0002', { OPERATIONTYPE: 'authorization', ...html });
    const classified = classifyReply(reply, 'authorize', false);
    expect(classified).toMatchObject({ record: 'OUTCOME', answer: { redirectHtmlDropped: true } });
    expect(classified).not.toHaveProperty('answer.redirectHtml');
  });

  it.each([
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740992', undefined],
    ['250.00', undefined],
    ['', undefined],
  ])('AMOUNT of %s counts where a number holds it exactly, else a flag says so', (AMOUNT, amount) => {
    const classified = classifyReply(said('0000', { AMOUNT }), 'capture', false);
    const isFlagged = amount === undefined && AMOUNT !== '';
    expect(classified.record === 'OUTCOME' && [classified.answer.amount, classified.flags]).toEqual([
      amount,
      isFlagged ? ['invalid_amount'] : undefined,
    ]);
  });

  it('without a usable TRANSACTIONID are still an outcome [Transaction.TRANSACTIONID]', () => {
    expect(classifyReply(said('0000', { TRANSACTIONID: 'x'.repeat(33) }), 'capture', false)).toMatchObject({
      record: 'OUTCOME',
      answer: { execCode: '0000' },
    });
  });
});
