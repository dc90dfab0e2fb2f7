import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CARD, tokenized } from '../../test/encrypted-card.js';
import { instalment, runSimulator, type RunningSimulator } from '../../test/running-simulator.js';

const README = readFileSync(join(__dirname, '../../README.md'), 'utf8');
const [, TABLE = ''] = /\n\| case +\| here +\| the platform +\|\n([^]*?)\n\n/.exec(README) ?? [];
/** `| case | here | the platform |` */
const ROWS = TABLE.split('\n')
  .slice(1)
  .map((row) => row.split('|').map((cell) => cell.trim()))
  .map(([, refusal = '', here = '']) => [refusal, here] as const);

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await runSimulator();
});
afterAll(() => simulator.stop());
beforeEach(() => simulator.json('POST', '/simulator/reset'));

type Answer = Record<string, string>;
const operated = async (parameters: Answer, options = {}): Promise<Answer> =>
  (await simulator.operate(parameters, options)).answer;
const followUp = (OPERATIONTYPE: string, TRANSACTIONID = '', more: Answer = {}) =>
  operated({ OPERATIONTYPE, TRANSACTIONID, ORDERID: 'order-1', ...more });
const ofB = (more: Answer = {}) => operated(instalment({ PAYMENTOPTION: 'partnerB-3x', ...more }));
const spanish = (more: Answer) =>
  operated(instalment({ IDENTIFIER: 'Tienda', PAYMENTOPTION: 'partnerB-3xsansfrais', ...more }));
const express = (more: Answer) => ofB({ 'CART[0][DELIVERYSPEED]': 'express', ...more });
const captured = async () => (await followUp('capture', await simulator.authorized())).TRANSACTIONID;
const dayIn = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const tokenOf = async () => (await tokenized(simulator, CARD)).HFTOKEN ?? '';
const paid = (HFTOKEN: string) => operated({ OPERATIONTYPE: 'payment', ORDERID: 'order-1', AMOUNT: '5000', HFTOKEN });

/** Requests for each case of the table: one per code in its cell, or one per item that the case names. */
const DONE: Record<string, () => Promise<Answer[]>> = {
  'a value in another format than the interface states': async () => [
    await operated(instalment({ BILLINGCOUNTRY: 'France' })),
  ],
  'a parameter that the operation makes no sense without': async () => [await operated(instalment({ ORDERID: '' }))],
  'another parameter of the interface left out': async () => [
    await operated(instalment({ DESCRIPTION: '', CLIENTEMAIL: '' })),
  ],
  'a parameter that the interface does not list for the operation, card data': async () => [
    await operated({ OPERATIONTYPE: 'payment', ORDERID: 'order-1', AMOUNT: '5000', CARDCODE: '4111111111111111' }),
    await followUp('void', await simulator.authorized(), { METADATA: 'x' }),
  ],
  'HASH wrong, VERSION unknown': async () => [
    await operated(instalment(), { key: 'another' }),
    await operated(instalment({ VERSION: '4.0' })),
  ],
  'a second capture': async () => {
    const authorization = await simulator.authorized();
    await followUp('capture', authorization);
    return [await followUp('capture', authorization)];
  },
  'a capture above its authorization, a refund above the rest': async () => [
    await followUp('capture', await simulator.authorized(), { AMOUNT: '30001' }),
    await followUp('refund', await captured(), { AMOUNT: '30001' }),
  ],
  'a capture after 7 days': async () => {
    const authorization = await simulator.authorized();
    await simulator.advance(7 * 86_400 + 1);
    return [await followUp('capture', authorization)];
  },
  'a void of what is no authorization, of method B': async () => [
    await followUp('void', await captured()),
    await followUp('void', await simulator.authorized({ PAYMENTOPTION: 'partnerB-3x' })),
  ],
  'method B in EUR under 150 or over 2000 EUR': async () => [
    await ofB({ AMOUNT: '14999' }),
    await ofB({ AMOUNT: '200001' }),
  ],
  'Spanish accounts: another option, phones of another form': async () => [
    await spanish({ PAYMENTOPTION: 'partnerB-4x' }),
    await spanish({ BILLINGPHONE: '+34712345678' }),
    await spanish({ SHIPTOMOBILEPHONE: '+34812345678' }),
  ],
  'express by a delay of 3 days, or a date that begins nowhere within 48 hours': async () => [
    await express({ 'CART[0][DELIVERYEXPECTEDDELAY]': '3' }),
    await express({ 'CART[0][DELIVERYEXPECTEDDATE]': dayIn(4) }),
  ],
  'TOTALAMOUNT other than PRICE × QUANTITY': async () => [
    await ofB({ 'CART[0][PRICE]': '100', 'CART[0][QUANTITY]': '2', 'CART[0][TOTALAMOUNT]': '201' }),
  ],
  'ORDERID used before': async () => [await operated(instalment()), await operated(instalment())],
  'an HFTOKEN used before, or after 15 minutes': async () => {
    const [used, old] = [await tokenOf(), await tokenOf()];
    expect((await paid(used)).EXECCODE).toBe('0000');
    const again = await paid(used);
    await simulator.advance(15 * 60 + 1);
    return [again, await paid(old)];
  },
  'many requests': async () => {
    await simulator.fault({ orderPrefix: 'limited' }, { execCode: '3004' });
    expect((await operated(instalment({ ORDERID: 'limited' }))).EXECCODE).toBe('3004');
    return Promise.all(Array.from({ length: 50 }, () => operated(instalment())));
  },
};

/** Parameters that MESSAGE may name if the cell says "and the parameter". */
const PARAMETER = /PAYMENTOPTION|(BILLING|SHIPTO)[A-Z]+|ORDERID|CARDCODE|METADATA/;

it('each case of the README is played, and no other [Errors.rejections]', () => {
  expect(ROWS.map(([refusal]) => refusal)).toEqual(Object.keys(DONE));
});

it.each(ROWS)('%s: %s', async (refusal, here) => {
  const answers = (await DONE[refusal]?.()) ?? [];
  const codes = here.startsWith('taken') ? ['0002'] : (here.match(/\b\d{4}\b/g) ?? []);
  expect(codes.length).toBeGreaterThan(0);
  answers.forEach(({ EXECCODE }, at) => expect(EXECCODE).toBe(codes.length > 1 ? codes[at] : codes[0]));
  expect(answers.length).toBeGreaterThanOrEqual(codes.length);
  const named = here.endsWith('and the parameter') ? PARAMETER : new RegExp(/[A-Z]{5,}/.exec(here)?.[0] ?? '');
  for (const { MESSAGE } of answers) expect(MESSAGE).toMatch(named);
});
