import { waitFor } from '@tranche/testing';
import { isHashOf } from '../request/platform-hash.js';
import type { Notification } from './notifications.service.js';
import { instalment, simulatorWithShop } from '../../test/running-simulator.js';

const running = simulatorWithShop();

const arrived = async (count: number) => {
  await waitFor(() => running.shop.received.length >= count, { what: `${count} notifications` });
  return running.shop.received;
};
const capture = async (more: Record<string, string> = {}) => {
  const authorization = await running.simulator.authorized(more);
  const { answer } = await running.simulator.operate({
    OPERATIONTYPE: 'capture',
    TRANSACTIONID: authorization,
    ORDERID: 'order-1',
    EXTRADATA: 'é &=',
  });
  return answer.TRANSACTIONID ?? '';
};
const settled = (count: number) =>
  waitFor(async () => {
    const all = await running.simulator.notifications();
    return all.length === count && all.every(({ state }) => state !== 'waiting') && all;
  });

const COMMON = [
  ...[
    'IDENTIFIER',
    'OPERATIONTYPE',
    'TRANSACTIONID',
    'CLIENTIDENT',
    'CLIENTEMAIL',
    'ORDERID',
    'AMOUNT',
    'VERSION',
    'LANGUAGE',
  ],
  ...['CURRENCY', 'EXECCODE', 'MESSAGE', 'DESCRIPTOR', 'EXTRADATA', 'HASH'],
].sort();

/** Pays by the token of a card. */
const pay = async () => {
  const card = { identifier: 'Shop', cardCode: '5555555555554444', cardFullName: 'Jane Doe' };
  const { HFTOKEN } = (await running.simulator.json('POST', '/simulator/tokens', card)).body as { HFTOKEN: string };
  const payment = { OPERATIONTYPE: 'payment', ORDERID: 'order-1', AMOUNT: '5000', HFTOKEN };
  return (await running.simulator.operate(payment)).answer;
};

describe('what is notified', () => {
  it('exactly the parameters of the interface, EXTRADATA unchanged, signed with the notification key [Events.emitted.{capture,refund}] [Versioning.notifications]', async () => {
    const captureId = await capture({ EXTRADATA: 'first' });
    const [authorized, captured] = await arrived(2);
    expect(authorized?.parameters).toMatchObject({
      OPERATIONTYPE: 'authorization',
      EXTRADATA: 'first',
      EXECCODE: '0000',
      TRANSACTIONID: expect.stringMatching(/^.{1,32}$/) as string,
      CURRENCY: 'EUR',
    });
    expect(captured?.parameters).toMatchObject({
      OPERATIONTYPE: 'capture',
      EXTRADATA: 'é &=',
      EXECCODE: '0000',
      TRANSACTIONID: captureId,
      AMOUNT: '30000',
      CLIENTIDENT: 'client-1',
    });
    for (const one of [authorized, captured]) {
      expect(Object.keys(one?.parameters ?? {}).sort()).toEqual(COMMON);
      expect(isHashOf('notification-key', Object.entries(one?.parameters ?? {}), one?.parameters.HASH ?? '')).toBe(
        true,
      );
    }
  });

  it('a refund of method B also with its external references, of method A without', async () => {
    for (const PAYMENTOPTION of ['partnerB-3x', 'partnerA-3xcb']) {
      const id = await capture({ PAYMENTOPTION });
      await running.simulator.operate({ OPERATIONTYPE: 'refund', TRANSACTIONID: id, AMOUNT: '1', EXTRADATA: 'x' });
    }
    const refunds = (await arrived(6)).filter(({ parameters }) => parameters.OPERATIONTYPE === 'refund');
    expect(refunds[0]?.parameters).toMatchObject({
      EXTERNALENTITYID: expect.stringMatching(/^\d{1,10}$/),
      EXTERNALREFERENCE: expect.stringMatching(/^0\d{8}$/),
    });
    expect(Object.keys(refunds[1]?.parameters ?? {}).sort()).toEqual(COMMON);
  });

  it('a void as a capture, signed with the account key where there is no other [Events.void] [Events.emitted.void]', async () => {
    const { answer } = await running.simulator.operate(instalment({ IDENTIFIER: 'Tienda' }));
    await running.simulator.decide(answer.TRANSACTIONID ?? '', 'validate');
    await running.simulator.operate({
      IDENTIFIER: 'Tienda',
      OPERATIONTYPE: 'void',
      TRANSACTIONID: answer.TRANSACTIONID ?? '',
      EXTRADATA: 'x',
    });
    const voided = (await arrived(2))[1]?.parameters ?? {};
    expect(voided).toMatchObject({ OPERATIONTYPE: 'void', EXECCODE: '0000' });
    expect(Object.keys(voided).sort()).toEqual(COMMON);
    expect(isHashOf('account-key', Object.entries(voided), voided.HASH ?? '')).toBe(true);
  });

  it('a card masked', async () => {
    await pay();
    const [{ parameters } = { parameters: {} }] = await arrived(1);
    const shown = {
      CARDCODE: 'XXXXXXXXXXXX4444',
      CARDVALIDITYDATE: '12-49',
      CARDFULLNAME: 'Jane Doe',
      CARDTYPE: 'mastercard',
      CARDCOUNTRY: 'FR',
    };
    const payment = { OPERATIONTYPE: 'payment', ORDERID: 'order-1', AMOUNT: '5000', EXECCODE: '0000' };
    expect(parameters).toMatchObject({
      ...payment,
      TRANSACTIONID: expect.stringMatching(/^.{1,32}$/) as string,
      ...shown,
    });
    expect(parameters).not.toHaveProperty('CARDCVV');
  });

  it('a refund of a card payment without the card', async () => {
    const { TRANSACTIONID = '' } = await pay();
    await running.simulator.operate({ OPERATIONTYPE: 'refund', TRANSACTIONID, EXTRADATA: 'x' });
    const refund = (await arrived(2))[1]?.parameters ?? {};
    expect(Object.keys(refund).filter((name) => !COMMON.includes(name))).toEqual([]);
    expect(refund).toMatchObject({ OPERATIONTYPE: 'refund', AMOUNT: '5000' });
  });

  it('a capture of the back office, and what it captured only in part', async () => {
    const authorization = await running.simulator.authorized();
    const captured = { identifier: 'Shop', orderId: 'order-1', amount: 20_000 };
    const byHand = () => running.simulator.json('POST', '/simulator/captures', captured);
    expect(await byHand()).toMatchObject({ status: 201, body: { amount: 20_000 } });
    expect(await byHand()).toMatchObject({ status: 409, body: { execCode: '2005' } });
    const { answer } = await running.simulator.operate({ OPERATIONTYPE: 'capture', TRANSACTIONID: authorization });
    expect(answer.EXECCODE).toBe('2005');
    expect((await arrived(2))[1]?.parameters).toMatchObject({ OPERATIONTYPE: 'capture', AMOUNT: '20000' });
  });

  it('a refund of the back office', async () => {
    await capture();
    const refund = (amount?: number) =>
      running.simulator.json('POST', '/simulator/refunds', { identifier: 'Shop', orderId: 'order-1', amount });
    expect(await refund(10_000)).toMatchObject({ status: 201, body: { amount: 10_000 } });
    expect((await refund(20_001)).body.execCode).toBe('2008');
    expect((await refund()).body.amount).toBe(20_000);
    const [, , first, second] = await arrived(4);
    expect(first?.parameters).toMatchObject({ OPERATIONTYPE: 'refund', AMOUNT: '10000', EXECCODE: '0000' });
    expect(second?.parameters.AMOUNT).toBe('20000');
    const origins = (await running.simulator.ledger()).operations.map(({ origin }) => origin);
    expect(origins).toEqual(['request', 'request', 'back-office', 'back-office']);
  });
});

it('shows those of the orders whose ids begin so', async () => {
  for (const ORDERID of ['run-1-a', 'run-2-a']) await running.simulator.authorized({ ORDERID });
  await arrived(2);
  const { body } = await running.simulator.json('GET', '/simulator/notifications?orderPrefix=run-1-');
  expect((body as { orderId: string }[]).map(({ orderId }) => orderId)).toEqual(['run-1-a']);
});

describe('how it is delivered', () => {
  it('repeats until 200 and exactly OK', async () => {
    running.shop.answerNext(500, 'OK');
    running.shop.answerNext(204, '');
    running.shop.answerNext(200, 'OK\n');
    await running.simulator.authorized();
    const [notification] = await settled(1);
    expect(notification).toMatchObject({ state: 'delivered', execCode: '0000', mode: 'get' });
    expect(notification?.attempts).toMatchObject([
      { status: 500, isAccepted: false },
      { status: 204, isAccepted: false },
      { status: 200, answer: 'OK\n', isAccepted: false },
      { status: 200, answer: 'OK', isAccepted: true },
    ]);
  });

  it('gives up after the last delay, and the order’s next notification is sent', async () => {
    for (let attempt = 0; attempt < 4; attempt++) running.shop.answerNext(503, '');
    await capture();
    const all = await settled(2);
    expect(all.map(({ state, attempts }) => [state, attempts.length])).toEqual([
      ['given_up', 4],
      ['delivered', 1],
    ]);
  });

  it('keeps the sequence of an order’s notifications while one is being retried', async () => {
    running.shop.answerNext(500, '');
    await capture();
    const operations = (await arrived(3)).map(({ parameters }) => parameters.OPERATIONTYPE);
    expect(operations).toEqual(['authorization', 'authorization', 'capture']);
  });

  it.each([
    ['get', [['GET', '']]],
    ['post', [['POST', 'application/x-www-form-urlencoded']]],
    ['multipart', [['POST', expect.stringContaining('multipart/form-data; boundary=')]]],
    [
      'both',
      [
        ['GET', ''],
        ['POST', 'application/x-www-form-urlencoded'],
      ],
    ],
  ])('by %s', async (mode, expected) => {
    await running.simulator.json('POST', '/simulator/notifications/mode', { merchant: 'shop', mode });
    await running.simulator.authorized({ CLIENTIDENT: 'Zoë & co' });
    const received = await arrived(expected.length);
    expect(received.map(({ method, type }) => [method, type])).toEqual(expected);
    if (mode === 'multipart') expect(received[0]?.raw).toContain('name="CLIENTIDENT"\r\n\r\nZoë & co\r\n');
    else for (const { parameters } of received) expect(parameters.CLIENTIDENT).toBe('Zoë & co');
  });

  it('is listed by order', async () => {
    await running.simulator.authorized();
    expect(await running.simulator.notifications('?identifier=Shop&orderId=order-1')).toHaveLength(1);
    expect(await running.simulator.notifications('?orderId=other')).toEqual([]);
  });
});

describe('faults of notifications', () => {
  it('none', async () => {
    await running.simulator.fault({ operation: 'authorization' }, { notification: 'none' });
    await capture();
    expect((await settled(2)).map(({ state }) => state)).toEqual(['suppressed', 'delivered']);
    expect((await arrived(1)).map(({ parameters }) => parameters.OPERATIONTYPE)).toEqual(['capture']);
  });

  it('none, and sent when somebody asks for it: that order alone', async () => {
    await running.simulator.fault({}, { notification: 'none' });
    await running.simulator.authorized();
    await running.simulator.authorized({ ORDERID: 'order-2' });
    const ask = (orderId: string) =>
      running.simulator.json('POST', '/simulator/notifications/suppressed', { identifier: 'Shop', orderId });
    expect((await ask('order-2')).body).toEqual({ sent: 1 });
    expect((await ask('order-2')).body).toEqual({ sent: 0 });
    expect((await settled(2)).map(({ orderId, state }) => [orderId, state])).toEqual([
      ['order-1', 'suppressed'],
      ['order-2', 'delivered'],
    ]);
    expect((await arrived(1)).map(({ parameters }) => parameters.ORDERID)).toEqual(['order-2']);
  });

  it('none, and one of an order sent twice when somebody asks for it', async () => {
    await running.simulator.fault({}, { notification: 'none' });
    const transactionId = await running.simulator.authorized();
    await running.simulator.operate({ OPERATIONTYPE: 'capture', TRANSACTIONID: transactionId });
    const wanted = { identifier: 'Shop', orderId: 'order-1', transactionId, times: 2 };
    expect((await running.simulator.json('POST', '/simulator/notifications/suppressed', wanted)).body).toEqual({
      sent: 1,
    });
    expect((await arrived(2)).map(({ parameters }) => parameters.TRANSACTIONID)).toEqual([
      transactionId,
      transactionId,
    ]);
    expect((await running.simulator.notifications()).map(({ state }) => state)).toEqual(['delivered', 'suppressed']);
    expect(await running.simulator.notifications('?state=suppressed')).toHaveLength(1);
  });

  it('duplicate', async () => {
    await running.simulator.fault({}, { notification: 'duplicate' });
    await running.simulator.authorized();
    const [first, second] = await arrived(2);
    expect(second?.raw).toBe(first?.raw);
  });

  it('late: the next one of its order does not wait for it', async () => {
    await running.simulator.fault({ operation: 'authorization' }, { notification: { lateMs: 60_000 } });
    await capture();
    expect((await arrived(1)).map(({ parameters }) => parameters.OPERATIONTYPE)).toEqual(['capture']);
    await waitFor(async () => {
      const states = (await running.simulator.notifications()).map(({ operationType, state }) => [
        operationType,
        state,
      ]);
      expect(states).toEqual([
        ['authorization', 'waiting'],
        ['capture', 'delivered'],
      ]);
      return true;
    });
  });

  it('late: it is sent', async () => {
    await running.simulator.fault({ operation: 'authorization' }, { notification: { lateMs: 1 } });
    await running.simulator.authorized();
    expect((await arrived(1))[0]?.parameters.OPERATIONTYPE).toBe('authorization');
  });

  it('out of order', async () => {
    await running.simulator.fault({ operation: 'authorization', times: 1 }, { notification: 'outOfOrder' });
    await capture();
    expect((await arrived(2)).map(({ parameters }) => parameters.OPERATIONTYPE)).toEqual(['capture', 'authorization']);
  });

  it('another encoding', async () => {
    await running.simulator.fault({ times: 1 }, { notification: { mode: 'post' } });
    await running.simulator.authorized();
    expect((await arrived(1))[0]?.method).toBe('POST');
  });

  it.each([
    ['also', ['4001', '0000'], 'delivered'],
    ['instead', ['4001'], 'suppressed'],
  ])('forged, %s', async (forgedHash, codes, state) => {
    running.shop.answerNext(403, '');
    await running.simulator.fault({}, { notification: { forgedHash } });
    await running.simulator.authorized();
    expect((await arrived(codes.length)).map(({ parameters }) => parameters.EXECCODE)).toEqual(codes);
    const [forged] = running.shop.received;
    expect(isHashOf('notification-key', Object.entries(forged?.parameters ?? {}), forged?.parameters.HASH ?? '')).toBe(
      false,
    );
    expect(await settled(1)).toMatchObject([{ state, execCode: '0000' }]);
    const forgeries = async () =>
      (await running.simulator.json('GET', '/simulator/forgeries?orderId=order-1')).body as Notification[];
    await waitFor(async () => (await forgeries())[0]?.state === 'given_up', { what: 'the forgery to be refused' });
    expect(await forgeries()).toMatchObject([{ execCode: '4001', attempts: [{ status: 403, isAccepted: false }] }]);
  });
});
