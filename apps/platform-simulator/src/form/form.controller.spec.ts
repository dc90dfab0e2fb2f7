import { isHashOf } from '../request/platform-hash.js';
import { instalment, simulatorWithShop } from '../../test/running-simulator.js';
import { waitFor } from '@tranche/testing';

const running = simulatorWithShop({ returnUrl: 'https://shop.example/return?lang=fr' });

const open = async (more: Record<string, string> = {}) => {
  const { answer } = await running.simulator.operate(instalment(more));
  const html = Buffer.from(answer.REDIRECTHTML ?? '', 'base64').toString();
  return { id: answer.TRANSACTIONID ?? '', address: /action="([^"]+)"/.exec(html)?.[1] ?? '' };
};
const parametersOf = (response: Response) => {
  const query = [...new URL(response.headers.get('location') ?? '').searchParams];
  return { query, parameters: query.filter(([name]) => name !== 'lang') };
};

describe('the provider form', () => {
  it('can be clicked through without scripts: page, decision, signed redirect, notification [States.0002-validated] [Events.redirect-url] [Events.emitted.authorization]', async () => {
    const { id, address } = await open({ EXTRADATA: 'tag', CLIENTDOB: '1990-01-31' });
    const page = await fetch(address);
    const html = await page.text();
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(html).toContain('<form method="post">');
    expect(html).toContain('value="1990-01-31"');
    expect(html).not.toContain('<script');

    const decided = await running.simulator.decide(id, 'validate');
    expect(decided.status).toBe(303);
    const { query, parameters } = parametersOf(decided);
    expect(query[0]).toEqual(['lang', 'fr']);
    const values = Object.fromEntries(parameters);
    expect(values).toMatchObject({
      TRANSACTIONID: id,
      EXECCODE: '0000',
      ORDERID: 'order-1',
      AMOUNT: '30000',
      EXTRADATA: 'tag',
    });
    expect(isHashOf('redirect-key', parameters, values.HASH ?? '')).toBe(true);

    await waitFor(() => running.shop.received.length === 1);
    expect(running.shop.received[0]?.parameters).toMatchObject({
      TRANSACTIONID: id,
      EXECCODE: '0000',
      OPERATIONTYPE: 'authorization',
    });
  });

  it.each([
    ['partnerA-3xcb', 'refuse', '4001'],
    ['partnerA-3xcb', 'abandon', '4004'],
    ['partnerB-3x', 'validate', '0000'],
    ['partnerB-3x', 'pending', '0003'],
  ])('%s, %s → %s', async (PAYMENTOPTION, decision, execCode) => {
    const { id } = await open({ PAYMENTOPTION });
    expect(Object.fromEntries(parametersOf(await running.simulator.decide(id, decision)).parameters).EXECCODE).toBe(
      execCode,
    );
    await waitFor(() => running.shop.received.length === 1);
    expect(running.shop.received[0]?.parameters.EXECCODE).toBe(execCode);
  });

  it('is completed once: a second submit redirects to the same address and sends no notification', async () => {
    const { id, address } = await open();
    const first = await running.simulator.decide(id, 'validate');
    const second = await running.simulator.decide(id, 'refuse');
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(await (await fetch(address)).text()).toContain('This form is finished');
    expect(await running.simulator.notifications()).toHaveLength(1);
  });

  it.each([
    ['no hold with method A', 'pending'],
    ['nothing unknown', 'steal'],
    ['not nothing', ''],
  ])('takes %s', async (_title, decision) => {
    const { id, address } = await open();
    expect((await running.simulator.decide(id, decision)).status).toBe(400);
    expect(await (await fetch(address)).text()).toContain('<form method="post">');
  });

  it('exists only for an initial transaction', async () => {
    expect((await fetch(`${running.simulator.url}/form/nope`)).status).toBe(404);
    expect((await running.simulator.decide('nope', 'validate')).status).toBe(404);
    const authorization = await running.simulator.authorized();
    const { answer } = await running.simulator.operate({ OPERATIONTYPE: 'capture', TRANSACTIONID: authorization });
    expect((await fetch(`${running.simulator.url}/form/${answer.TRANSACTIONID}`)).status).toBe(404);
  });
});

describe('what waits for approval', () => {
  const pending = async () => {
    const { id } = await open({ PAYMENTOPTION: 'partnerB-3x' });
    await running.simulator.decide(id, 'pending');
    return id;
  };
  const codes = async (count: number) => {
    await waitFor(() => running.shop.received.length === count, { what: `${count} notifications` });
    return running.shop.received.map(({ parameters }) => parameters.EXECCODE);
  };

  it.each([
    ['approve', '0000'],
    ['refuse', '4001'],
  ])('%s → %s, notified; only once', async (decision, execCode) => {
    const id = await pending();
    const decide = () => running.simulator.json('POST', `/simulator/transactions/${id}/decide`, { decision });
    expect((await decide()).body).toEqual({ transactionId: id, execCode });
    expect((await decide()).status).toBe(409);
    expect(await codes(2)).toEqual(['0003', execCode]);
  });

  it('expires after 6 days without a notification, and cannot be approved any more', async () => {
    const id = await pending();
    await running.simulator.advance(6 * 86_400 - 60);
    const codeNow = async () => (await running.simulator.ledger()).operations.map((one) => one.finalExecCode);
    expect(await codeNow()).toEqual(['0003']);
    await running.simulator.advance(60);
    expect(await codeNow()).toEqual(['2009']);
    expect(await running.simulator.notifications()).toHaveLength(1);
    expect(
      (await running.simulator.json('POST', `/simulator/transactions/${id}/decide`, { decision: 'approve' })).status,
    ).toBe(409);
    expect((await running.simulator.operate({ OPERATIONTYPE: 'capture', TRANSACTIONID: id })).answer.EXECCODE).toBe(
      '2009',
    );
  });
});

it('a card that must be authenticated goes through the same form', async () => {
  const card = { identifier: 'Shop', cardCode: '4111111111110001' };
  const { HFTOKEN } = (await running.simulator.json('POST', '/simulator/tokens', card)).body as { HFTOKEN: string };
  const payment = { OPERATIONTYPE: 'payment', ORDERID: 'order-1', AMOUNT: '5000', HFTOKEN };
  const { answer } = await running.simulator.operate(payment);
  expect(answer.EXECCODE).toBe('0001');
  await running.simulator.decide(answer.TRANSACTIONID ?? '', 'validate');
  await waitFor(() => running.shop.received.length === 1);
  expect(running.shop.received[0]?.parameters).toMatchObject({
    OPERATIONTYPE: 'payment',
    EXECCODE: '0000',
    CARDCODE: 'XXXXXXXXXXXX0001',
  });
});
