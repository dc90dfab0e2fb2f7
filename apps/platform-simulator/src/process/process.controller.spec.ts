import { connect } from 'node:net';
import { hashOf } from '../request/platform-hash.js';
import { API_KEY_ID, formOf, instalment, runSimulator, type RunningSimulator } from '../../test/running-simulator.js';

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await runSimulator();
});
afterAll(() => simulator.stop());
beforeEach(() => simulator.json('POST', '/simulator/reset'));

const isAllText = (answer: object) => Object.values(answer).every((value) => typeof value === 'string');

const dayIn = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

describe('any client can talk to it', () => {
  const parameters = {
    IDENTIFIER: 'Shop',
    ...instalment({ DESCRIPTION: 'Café à deux & plus', 'CART[0][TOTALAMOUNT]': '30000', 'CART[10][TAX]': '5.5' }),
  };
  const signed = { HASH: hashOf('account-key', Object.entries(parameters)), ...parameters };
  const encoded = formOf(signed);
  const type = 'application/x-www-form-urlencoded';

  it.each([
    ['brackets as %5B %5D, spaces as +', encoded, type],
    ['small escapes', encoded.replaceAll('%5B', '%5b').replaceAll('%5D', '%5d'), type],
    [
      'bare brackets, spaces as %20',
      encoded.replaceAll('%5B', '[').replaceAll('%5D', ']').replaceAll('+', '%20'),
      type,
    ],
    ['the order turned round', encoded.split('&').reverse().join('&'), type],
    ['with a charset', encoded, `${type}; charset=UTF-8`],
    ['with a charset in small letters, no space', encoded, `${type};charset=utf-8`],
  ])('%s', async (_title, body, contentType) => {
    const { status, answer } = await simulator.post(body, { 'content-type': contentType });
    expect([status, answer.EXECCODE]).toEqual([200, '0002']);
  });

  it('by the .php alias', async () => {
    expect((await simulator.post(encoded, {}, '/front/service/rest/process.php')).answer.EXECCODE).toBe('0002');
  });

  it('without a content type', async () => {
    const { hostname, port } = new URL(simulator.url);
    const head = `POST /front/service/rest/process HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${encoded.length}\r\n\r\n`;
    const text = await new Promise<string>((resolve, reject) => {
      let received = '';
      const socket = connect(Number(port), hostname, () => socket.end(head + encoded));
      socket
        .on('data', (chunk) => (received += String(chunk)))
        .on('end', () => resolve(received))
        .on('error', reject);
    });
    expect(text).toContain('"EXECCODE":"0002"');
  });

  it('with an API key: K is the key of the APIKEYID', async () => {
    const request = instalment({ APIKEYID: API_KEY_ID });
    expect((await simulator.operate(request, { key: 'api-key' })).answer.EXECCODE).toBe('0002');
    expect((await simulator.operate(request)).answer.EXECCODE).toBe('1003');
    expect((await simulator.operate({ ...request, APIKEYID: 'unknown' })).answer).toMatchObject({
      EXECCODE: '1002',
      MESSAGE: expect.stringContaining('APIKEYID'),
    });
  });

  it.each(['2.0', '3.0', ''])('with VERSION "%s"', async (VERSION) => {
    expect((await simulator.operate(instalment({ VERSION }))).answer.EXECCODE).toBe('0002');
  });

  it('with next to nothing: what makes no sense without, and not a field more', async () => {
    const { answer } = await simulator.operate({
      OPERATIONTYPE: 'authorization',
      PAYMENTOPTION: 'partnerB-3x',
      ORDERID: 'o',
      AMOUNT: '15000',
    });
    expect(answer.EXECCODE).toBe('0002');
  });
});

describe('refusals are HTTP 200 and strings', () => {
  const without = (name: string) => ({ ...instalment(), [name]: '' });
  const rows: [title: string, request: Record<string, string>, code: string, names: string][] = [
    ['ORDERID missing', without('ORDERID'), '1001', 'ORDERID'],
    ['AMOUNT missing', without('AMOUNT'), '1001', 'AMOUNT'],
    ['no way to pay', without('PAYMENTOPTION'), '1001', 'PAYMENTOPTION'],
    ['TRANSACTIONID missing', { OPERATIONTYPE: 'capture', ORDERID: 'o' }, '1001', 'TRANSACTIONID'],
    ['HFTOKEN missing', { OPERATIONTYPE: 'payment', ORDERID: 'o', AMOUNT: '1' }, '1001', 'HFTOKEN'],
    ['AMOUNT no number', instalment({ AMOUNT: '12.50' }), '1002', 'AMOUNT'],
    ['PAYMENTOPTION unknown', instalment({ PAYMENTOPTION: 'partnerC-3x' }), '1002', 'PAYMENTOPTION'],
    ['a cart field', instalment({ 'CART[3][TAX]': 'many' }), '1002', 'CART[3][TAX]'],
    ['IDENTIFIER unknown', instalment({ IDENTIFIER: 'Nobody' }), '1002', 'IDENTIFIER'],
    ['OPERATIONTYPE unknown', instalment({ OPERATIONTYPE: 'steal' }), '1002', 'OPERATIONTYPE'],
    ['VERSION unsupported', instalment({ VERSION: '4.0' }), '1004', ''],
    ['method B under 150 EUR', instalment({ PAYMENTOPTION: 'partnerB-3x', AMOUNT: '14999' }), '1002', 'AMOUNT'],
    ['method B over 2000 EUR', instalment({ PAYMENTOPTION: 'partnerB-3x', AMOUNT: '200001' }), '1002', 'AMOUNT'],
    [
      'Spain with another option',
      instalment({ IDENTIFIER: 'Tienda', PAYMENTOPTION: 'partnerB-3x' }),
      '1002',
      'PAYMENTOPTION',
    ],
    [
      'express in three days',
      instalment({
        PAYMENTOPTION: 'partnerB-3x',
        'CART[1][DELIVERYSPEED]': 'express',
        'CART[1][DELIVERYEXPECTEDDELAY]': '3',
      }),
      '1002',
      'CART[1][DELIVERYSPEED]',
    ],
    [
      'express on a day that begins nowhere within 48 hours',
      instalment({
        PAYMENTOPTION: 'partnerB-3x',
        'CART[0][DELIVERYSPEED]': 'express',
        'CART[0][DELIVERYEXPECTEDDATE]': dayIn(4),
      }),
      '1002',
      'CART[0][DELIVERYSPEED]',
    ],
    ['the transaction unknown', { OPERATIONTYPE: 'capture', TRANSACTIONID: 'nope' }, '2002', ''],
  ];
  it.each(rows)('%s', async (_title, request, code, names) => {
    const { status, answer } = await simulator.operate(request);
    expect(status).toBe(200);
    expect(answer).toEqual({
      OPERATIONTYPE: request.OPERATIONTYPE,
      EXECCODE: code,
      MESSAGE: expect.stringContaining(names),
    });
    expect((await simulator.ledger()).operations).toEqual([]);
  });

  it.each([
    ['method B at 150 EUR', '15000'],
    ['method B at 2000 EUR', '200000'],
  ])('%s is taken', async (_title, AMOUNT) => {
    expect((await simulator.operate(instalment({ PAYMENTOPTION: 'partnerB-3x', AMOUNT }))).answer.EXECCODE).toBe(
      '0002',
    );
  });

  it('express in a day, in two days or by tomorrow, and standard in two days or later, are taken [Cart.{DELIVERYSPEED,DELIVERYTYPE}]', async () => {
    const items = {
      ...{ 'CART[0][DELIVERYSPEED]': 'express', 'CART[0][DELIVERYEXPECTEDDELAY]': '1' },
      ...{ 'CART[1][DELIVERYSPEED]': 'standard', 'CART[1][DELIVERYEXPECTEDDELAY]': '2' },
      ...{ 'CART[2][DELIVERYSPEED]': 'express', 'CART[2][DELIVERYEXPECTEDDATE]': dayIn(1) },
      ...{ 'CART[3][DELIVERYSPEED]': 'standard', 'CART[3][DELIVERYEXPECTEDDATE]': dayIn(4) },
      ...{ 'CART[4][DELIVERYSPEED]': 'express', 'CART[4][DELIVERYEXPECTEDDELAY]': '2' },
    };
    expect((await simulator.operate(instalment({ PAYMENTOPTION: 'partnerB-3x', ...items }))).answer.EXECCODE).toBe(
      '0002',
    );
  });

  const signed = { IDENTIFIER: 'Shop', ...instalment() };
  const hash = hashOf('account-key', Object.entries(signed));
  it.each([
    ['HASH missing', signed, '1001'],
    ['HASH in capitals', { ...signed, HASH: hash.toUpperCase() }, '1003'],
    ['HASH of other values', { ...signed, HASH: hash, AMOUNT: '1' }, '1003'],
    ['OPERATIONTYPE missing', { IDENTIFIER: 'Shop' }, '1001'],
    ['IDENTIFIER missing', { OPERATIONTYPE: 'capture' }, '1001'],
  ])('%s', async (_title, request: Record<string, string>, code) => {
    expect((await simulator.post(formOf(request))).answer.EXECCODE).toBe(code);
  });

  it('method and OPERATIONTYPE must agree', async () => {
    const body = formOf({ ...signed, HASH: hash });
    expect((await simulator.post(body.replace('method=authorization', 'method=capture'))).answer.EXECCODE).toBe('1002');
    expect((await simulator.post(body.replace('method=authorization&', ''))).answer).toMatchObject({
      EXECCODE: '1001',
      MESSAGE: expect.stringContaining('method'),
    });
  });

  it.each([
    ['JSON', 'application/json', '{"method":"capture"}'],
    ['multipart', 'multipart/form-data; boundary=x', '--x--'],
    ['a nonsense content type', '///', 'method=capture'],
    ['an empty body', 'application/x-www-form-urlencoded', ''],
    ['a broken escape', 'application/x-www-form-urlencoded', 'method=capture&params[A]=%E9'],
  ])('%s is malformed', async (_title, type, body) => {
    const { status, answer } = await simulator.post(body, { 'content-type': type });
    expect([status, answer.EXECCODE, isAllText(answer)]).toEqual([200, '1005', true]);
  });

  it.each(['/front/service/rest/process', '/front/service/rest/process.php'])('GET %s → 1006', async (path) => {
    const response = await fetch(simulator.url + path);
    expect([response.status, ((await response.json()) as { EXECCODE: string }).EXECCODE]).toEqual([200, '1006']);
  });
});
