import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CARD, tokenized } from '../../test/encrypted-card.js';
import { runSimulator, type RunningSimulator } from '../../test/running-simulator.js';
import { binOf } from './card-bins.js';

const README = readFileSync(join(__dirname, '../../README.md'), 'utf8');
/** `- FR cb, visa: 4970101200040016, …`: the last four digits are the code, 0016 stands for 0000. */
const ROWS = [...README.matchAll(/^- (FR|ES) ([a-z, ]+): (.+)$/gm)].flatMap(
  ([, country = '', brands = '', numbers = '']) =>
    [...numbers.matchAll(/`([0-9]+)`/g)].map(([, number = '']) => ({
      country,
      brands: brands.split(', '),
      number,
      code: number.slice(-4).replace('0016', '0000'),
    })),
);

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await runSimulator();
});
afterAll(() => simulator.stop());

it('the README lists cards of both countries and all brands [Errors.sandbox-cards]', () => {
  expect(new Set(ROWS.map(({ country }) => country))).toEqual(new Set(['FR', 'ES']));
  expect(new Set(ROWS.flatMap(({ brands }) => brands))).toEqual(
    new Set(['cb', 'visa', 'vpay', 'electron', 'mastercard', 'maestro']),
  );
});

it.each(ROWS)('$country $brands $number → $code', async ({ country, brands, number, code }) => {
  for (const SELECTEDBRAND of brands) {
    const record = await tokenized(simulator, { ...CARD, CARDCODE: number, SELECTEDBRAND });
    expect(record).toMatchObject({ EXECCODE: '0000', SELECTEDBRAND, CARDTYPE: brands.at(-1) });
    expect((record.BINBRANDS as unknown as { BRAND: string }[]).map(({ BRAND }) => BRAND)).toEqual(brands);
    const parameters = {
      OPERATIONTYPE: 'payment',
      ORDERID: `${number}-${SELECTEDBRAND}`,
      AMOUNT: '5000',
      HFTOKEN: record.HFTOKEN ?? '',
    };
    expect((await simulator.operate(parameters)).answer.EXECCODE).toBe(code);
  }
  expect(binOf(number).country).toBe(country);
});
