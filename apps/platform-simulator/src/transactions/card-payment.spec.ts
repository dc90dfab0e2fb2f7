import { waitFor } from '@tranche/testing';
import { CARD, tokenized } from '../../test/encrypted-card.js';
import { OTHER_API_KEY_ID, simulatorWithShop } from '../../test/running-simulator.js';

const running = simulatorWithShop();

const hfTokenOf = async (card: object = {}, apiKeyId?: string) =>
  (await tokenized(running.simulator, { ...CARD, ...card }, apiKeyId)).HFTOKEN ?? '';
const pay = async (HFTOKEN: string, more: Record<string, string> = {}) => {
  const parameters = {
    OPERATIONTYPE: 'payment',
    ORDERID: 'order-1',
    AMOUNT: '5000',
    CARDFULLNAME: 'Jane Doe',
    HFTOKEN,
    ...more,
  };
  return (await running.simulator.operate(parameters)).answer;
};
const notified = async (count: number) => {
  await waitFor(() => running.shop.received.length === count);
  return running.shop.received.map(({ parameters }) => parameters);
};

it("pays with the card behind the token; the notification shows the brand chosen and the issuer's country", async () => {
  expect((await pay(await hfTokenOf({ SELECTEDBRAND: 'cb' }))).EXECCODE).toBe('0000');
  const card = {
    CARDCODE: 'XXXXXXXXXXXX0016',
    CARDVALIDITYDATE: '12-49',
    CARDFULLNAME: 'Jane Doe',
    CARDTYPE: 'cb',
    CARDCOUNTRY: 'FR',
  };
  expect(await notified(1)).toEqual([expect.objectContaining({ OPERATIONTYPE: 'payment', EXECCODE: '0000', ...card })]);
});

it('the brand of the payment request goes before that of the form', async () => {
  await pay(await hfTokenOf({ SELECTEDBRAND: 'cb' }), { SELECTEDBRAND: 'visa' });
  expect((await notified(1))[0]?.CARDTYPE).toBe('visa');
});

it('refuses a brand that the card has not, and the token stays good', async () => {
  const token = await hfTokenOf();
  expect(await pay(token, { SELECTEDBRAND: 'maestro' })).toMatchObject({
    EXECCODE: '1002',
    MESSAGE: expect.stringContaining('SELECTEDBRAND'),
  });
  expect((await pay(token)).EXECCODE).toBe('0000');
});

it('a token is good once, for the merchant of its API key, and for 15 minutes', async () => {
  const [once, late, inTime, foreign] = [
    await hfTokenOf(),
    await hfTokenOf(),
    await hfTokenOf(),
    await hfTokenOf({}, OTHER_API_KEY_ID),
  ];
  expect([(await pay(once)).EXECCODE, (await pay(once)).EXECCODE]).toEqual(['0000', '2001']);
  expect([(await pay(foreign)).EXECCODE, (await pay(foreign, { IDENTIFIER: 'Tienda' })).EXECCODE]).toEqual([
    '2001',
    '0000',
  ]);
  await running.simulator.advance(15 * 60 - 60);
  expect((await pay(inTime)).EXECCODE).toBe('0000');
  await running.simulator.advance(60);
  expect((await pay(late)).EXECCODE).toBe('2001');
});

it('a refusal of the bank uses the token too', async () => {
  const token = await hfTokenOf({ CARDCODE: '4970101200024002' });
  expect([(await pay(token)).EXECCODE, (await pay(token)).EXECCODE]).toEqual(['4002', '2001']);
});

describe('a card that must be authenticated', () => {
  it.each([
    ['validate', '0000'],
    ['refuse', '4008'],
    ['abandon', '4004'],
  ])('goes to the form: %s → %s, notified', async (decision, execCode) => {
    const answer = await pay(await hfTokenOf({ CARDCODE: '4970101200010001' }));
    expect(answer.EXECCODE).toBe('0001');
    const html = Buffer.from(answer.REDIRECTHTML ?? '', 'base64').toString();
    const address = /action="([^"]+)"/.exec(html)?.[1] ?? '';
    expect(await (await fetch(address)).text()).toContain('value="validate"');
    expect(running.shop.received).toEqual([]);
    await running.simulator.decide(answer.TRANSACTIONID ?? '', decision);
    expect(await notified(1)).toEqual([
      expect.objectContaining({
        EXECCODE: execCode,
        TRANSACTIONID: answer.TRANSACTIONID,
        CARDCODE: 'XXXXXXXXXXXX0001',
      }),
    ]);
  });

  it('cannot be put on hold', async () => {
    const { TRANSACTIONID = '' } = await pay(await hfTokenOf({ CARDCODE: '4970101200010001' }));
    expect((await running.simulator.decide(TRANSACTIONID, 'pending')).status).toBe(400);
  });
});
