import { instalment, runSimulator, type RunningSimulator } from '../../test/running-simulator.js';

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await runSimulator();
});
afterAll(() => simulator.stop());
beforeEach(() => simulator.json('POST', '/simulator/reset'));
let onTestEnd: (() => Promise<void>) | undefined;
afterEach(async () => {
  await onTestEnd?.();
  onTestEnd = undefined;
});

const isAllText = (answer: object) => Object.values(answer).every((value) => typeof value === 'string');

describe('operations', () => {
  const followUp = (OPERATIONTYPE: string, TRANSACTIONID: string, more: Record<string, string> = {}) =>
    simulator.operate({ OPERATIONTYPE, TRANSACTIONID, ORDERID: 'order-1', DESCRIPTION: 'x', ...more });

  it('an authorization leads to a form that a browser can use', async () => {
    const { answer } = await simulator.operate(instalment());
    expect(answer).toMatchObject({ OPERATIONTYPE: 'authorization', EXECCODE: '0002', DESCRIPTOR: 'SHOP' });
    expect(isAllText(answer)).toBe(true);
    expect(answer.TRANSACTIONID).toMatch(/^.{1,32}$/);
    const html = Buffer.from(answer.REDIRECTHTML ?? '', 'base64').toString();
    expect(html).toContain(`action="${simulator.url}/form/${answer.TRANSACTIONID}"`);
  });

  it('captures once, refunds what remains [Capture.result.*] [Refund.result.*] [Void.result.*]', async () => {
    const authorization = await simulator.authorized();
    expect((await followUp('capture', authorization, { AMOUNT: '30001' })).answer.EXECCODE).toBe('2007');
    const { answer: capture } = await followUp('capture', authorization, { AMOUNT: '20000' });
    expect(capture).toMatchObject({ OPERATIONTYPE: 'capture', EXECCODE: '0000', TRANSACTIONID: expect.any(String) });
    expect((await followUp('capture', authorization)).answer.EXECCODE).toBe('2005');
    expect((await followUp('void', authorization)).answer.EXECCODE).toBe('2015');
    expect((await followUp('refund', authorization)).answer.EXECCODE).toBe('2004');

    const id = capture.TRANSACTIONID ?? '';
    expect((await followUp('refund', id, { AMOUNT: '5000' })).answer.EXECCODE).toBe('0000');
    expect((await followUp('refund', id, { AMOUNT: '15001' })).answer.EXECCODE).toBe('2008');
    expect((await followUp('refund', id)).answer.EXECCODE).toBe('0000');
    expect((await followUp('refund', id)).answer.EXECCODE).toBe('2008');
  });

  it('answers a capture, a refund and a void with the result fields of the interface, without AMOUNT', async () => {
    const fields = ['DESCRIPTOR', 'EXECCODE', 'MESSAGE', 'OPERATIONTYPE', 'TRANSACTIONID'];
    const [captured, voided] = [await simulator.authorized(), await simulator.authorized()];
    const { answer: capture } = await followUp('capture', captured);
    const { answer: refund } = await followUp('refund', capture.TRANSACTIONID ?? '');
    for (const answer of [capture, refund, (await followUp('void', voided)).answer])
      expect(Object.keys(answer).sort()).toEqual(fields);
  });

  it('voids an authorization of method A, none of method B', async () => {
    const a = await simulator.authorized();
    const b = await simulator.authorized({ PAYMENTOPTION: 'partnerB-4x' });
    expect((await followUp('void', a)).answer.EXECCODE).toBe('0000');
    expect((await followUp('capture', a)).answer.EXECCODE).toBe('2005');
    expect((await followUp('void', b)).answer.EXECCODE).toBe('2015');
  });

  it("knows nothing of another account's transactions", async () => {
    const authorization = await simulator.authorized();
    expect((await followUp('capture', authorization, { IDENTIFIER: 'Tienda' })).answer.EXECCODE).toBe('2002');
  });

  it('refuses a capture before the form is finished, and after 7 days', async () => {
    const { answer } = await simulator.operate(instalment());
    expect((await followUp('capture', answer.TRANSACTIONID ?? '')).answer.EXECCODE).toBe('2006');
    const authorization = await simulator.authorized();
    await simulator.advance(7 * 86_400 + 5);
    expect((await followUp('capture', authorization)).answer.EXECCODE).toBe('2009');
  });

  it('refuses what the interface does not list of an operation, card data among it [Endpoints.parameters]', async () => {
    const authorization = await simulator.authorized();
    const payment = { OPERATIONTYPE: 'payment', ORDERID: 'o', AMOUNT: '5000', HFTOKEN: 'token' };
    const unlisted: [name: string, parameters: Record<string, string>][] = [
      ['CARDCODE', { ...payment, CARDCODE: '5555555555554444' }],
      ['EXTRADATA', { ...payment, EXTRADATA: 'x' }],
      ['AMOUNT', { OPERATIONTYPE: 'void', TRANSACTIONID: authorization, AMOUNT: '1' }],
      ['METADATA', { OPERATIONTYPE: 'capture', TRANSACTIONID: authorization, METADATA: 'x' }],
      ['CLIENTDOB', instalment({ PAYMENTOPTION: 'partnerB-3x', CLIENTDOB: '1990-01-31' })],
      ['CART[0][NAME]', instalment({ 'CART[0][NAME]': 'Chair' })],
      ['BIRTHPLACE', instalment({ BIRTHPLACE: 'Lyon' })],
    ];
    for (const [name, parameters] of unlisted) {
      const { EXECCODE, MESSAGE } = (await simulator.operate(parameters)).answer;
      expect([EXECCODE, MESSAGE]).toEqual(['1002', `A parameter is invalid: ${name}`]);
    }
    expect((await simulator.ledger()).operations).toHaveLength(1);
  });

  it('answers an authorization at once where a fault rule says so: 0000, and 0003 of method B alone [States.method-B]', async () => {
    const answers = async (withoutForm: string) => {
      await simulator.json('DELETE', '/simulator/faults');
      await simulator.fault({}, { withoutForm });
      return [
        (await simulator.operate(instalment())).answer,
        (await simulator.operate(instalment({ PAYMENTOPTION: 'partnerB-3x' }))).answer,
      ] as const;
    };
    const [a, b] = await answers('0000');
    expect([a.EXECCODE, b.EXECCODE, b.REDIRECTHTML]).toEqual(['0000', '0000', undefined]);
    expect((await followUp('capture', b.TRANSACTIONID ?? '')).answer.EXECCODE).toBe('0000');
    const [form, waiting] = await answers('0003');
    expect([form.EXECCODE, waiting.EXECCODE]).toEqual(['0002', '0003']);
    expect((await followUp('capture', waiting.TRANSACTIONID ?? '')).answer.EXECCODE).toBe('2006');
    await simulator.advance(6 * 86_400);
    expect((await followUp('capture', waiting.TRANSACTIONID ?? '')).answer.EXECCODE).toBe('2009');
  });

  it('executes a part where a fault rule says so, with 0004 or without', async () => {
    const authorization = await simulator.authorized();
    await simulator.fault({ operation: 'capture' }, { part: { share: 0.5, isStated: true } });
    await simulator.fault({ operation: 'refund' }, { part: { share: 0.1, isStated: false } });
    const { answer } = await followUp('capture', authorization);
    const refund = await followUp('refund', answer.TRANSACTIONID ?? '', { AMOUNT: '5000' });
    expect([answer.EXECCODE, refund.answer.EXECCODE]).toEqual(['0004', '0000']);
    expect((await simulator.ledger()).operations.map(({ amount }) => amount)).toEqual([30_000, 15_000, 500]);
  });

  it('takes card data at once where it takes unlisted parameters, and shows only what may be seen of the card', async () => {
    const listed = simulator;
    simulator = await runSimulator({}, { takesUnlistedParameters: true });
    onTestEnd = async () => {
      await simulator.stop();
      simulator = listed;
    };
    const card = {
      ORDERID: 'order-1',
      AMOUNT: '5000',
      CARDCODE: '5555555555554444',
      CARDVALIDITYDATE: '12-49',
      CARDCVV: '123',
      CARDFULLNAME: 'Jane Doe',
    };
    const { answer: authorization } = await simulator.operate({ OPERATIONTYPE: 'authorization', ...card });
    expect(authorization.EXECCODE).toBe('0000');
    expect((await followUp('capture', authorization.TRANSACTIONID ?? '')).answer.EXECCODE).toBe('0000');
    expect((await simulator.operate({ OPERATIONTYPE: 'payment', ...card })).answer.EXECCODE).toBe('0000');
    const wanted = { ...card, CARDCODE: '4111111111114003' };
    expect((await simulator.operate({ OPERATIONTYPE: 'payment', ...wanted })).answer).toMatchObject({
      EXECCODE: '4003',
      TRANSACTIONID: expect.any(String),
    });
    expect(
      (await simulator.operate({ OPERATIONTYPE: 'payment', ...card, CARDVALIDITYDATE: '01-20' })).answer.EXECCODE,
    ).toBe('4015');
    expect((await simulator.operate({ OPERATIONTYPE: 'payment', ...card, CARDVALIDITYDATE: '' })).answer.EXECCODE).toBe(
      '1001',
    );
    expect(JSON.stringify(await simulator.ledger())).not.toMatch(/5555555555554444|4111111111114003|"123"/);
  });

  it('takes a card token once, within 15 minutes, of its own account', async () => {
    const issue = async () =>
      (await simulator.json('POST', '/simulator/tokens', { identifier: 'Shop' })).body.HFTOKEN as string;
    const pay = (HFTOKEN: string, more = {}) =>
      simulator.operate({ OPERATIONTYPE: 'payment', ORDERID: 'o', AMOUNT: '5000', HFTOKEN, ...more });
    const token = await issue();
    expect((await pay(token, { IDENTIFIER: 'Tienda' })).answer.EXECCODE).toBe('2001');
    expect((await pay(token, { AMOUNT: '5001' })).answer.EXECCODE).toBe('5001');
    expect((await pay(token)).answer.EXECCODE).toBe('0000');
    expect((await pay(token)).answer.EXECCODE).toBe('2001');
    const [late, inTime] = [await issue(), await issue()];
    await simulator.advance(14 * 60);
    expect((await pay(inTime)).answer.EXECCODE).toBe('0000');
    await simulator.advance(61);
    expect((await pay(late)).answer.EXECCODE).toBe('2001');
  });

  it('answers the code of an amount: refused by the bank is a transaction, not executed is none', async () => {
    expect((await simulator.operate(instalment({ AMOUNT: '24002' }))).answer).toMatchObject({
      EXECCODE: '4002',
      TRANSACTIONID: expect.any(String),
    });
    expect((await simulator.operate(instalment({ AMOUNT: '25003' }))).answer).toEqual({
      OPERATIONTYPE: 'authorization',
      EXECCODE: '5003',
      MESSAGE: expect.any(String),
    });
    expect((await simulator.operate(instalment({ AMOUNT: '25004' }))).answer.EXECCODE).toBe('5004');
    const { operations } = await simulator.ledger();
    expect(operations.map((one) => [one.execCode, one.finalExecCode])).toEqual([
      ['4002', '4002'],
      ['5004', '0000'],
    ]);
  });

  it('counts what it executed, per operation and EXTRADATA', async () => {
    const authorization = await simulator.authorized({ EXTRADATA: 'tag-1' });
    await simulator.operate(instalment({ EXTRADATA: 'tag-1' }));
    await followUp('capture', authorization, { EXTRADATA: 'tag-2' });
    await followUp('capture', authorization, { EXTRADATA: 'tag-2' });
    const ledger = await simulator.ledger('?identifier=Shop&orderId=order-1');
    const key = { identifier: 'Shop', orderId: 'order-1' };
    expect(ledger.counts).toEqual([
      { ...key, operationType: 'authorization', extraData: 'tag-1', executed: 2 },
      { ...key, operationType: 'capture', extraData: 'tag-2', executed: 1 },
    ]);
    expect(ledger.totals).toEqual({ calls: 4, callsForgotten: 0, operations: 3, executedTwice: 1 });
    expect(ledger.calls.map((call) => [call.operation, call.executed, call.answered])).toEqual([
      ['authorization', true, '0002'],
      ['authorization', true, '0002'],
      ['capture', true, '0000'],
      ['capture', false, '2005'],
    ]);
    expect(ledger.calls[0]?.parameters).toEqual(expect.arrayContaining(['HASH', 'AMOUNT', 'EXTRADATA']));
    expect((await simulator.ledger('?orderId=other')).operations).toEqual([]);
  });
});
