import { encodeCloudEvent } from './cloud-events.js';
import { AmountSums } from './waiting-commands.js';

const command = (data: object, type = 'payment.capture') => {
  const event = { id: 'c', source: '/s', type, time: '2026-03-01T10:00:00Z', data };
  return encodeCloudEvent(event);
};
const sumsOf = (...given: object[]) => {
  const sums = new AmountSums();
  for (const data of given) sums.add(command(data));
  return sums;
};

it('adds up amounts by currency; a follow-up has that of its order, and some name none', () => {
  const sums = sumsOf({ amount: 100, currency: 'EUR' }, { amount: 50, currency: 'EUR' }, { amount: 7 }, {}, { amount: -1 });
  sums.add({ headers: {}, value: Buffer.from('{') });
  expect(sums.result({ count: 9, isWhole: false })).toEqual({
    ...{ commands: 9, withoutAmount: 3, isMoneyWhole: false },
    money: [{ currency: 'EUR', amount: 150 }, { currency: 'not_named', amount: 7 }],
  });
}); // prettier-ignore

it('takes the currency of the merchant where the command names none', () => {
  const shops: Record<string, object> = { one: { currency: 'EUR' }, two: { currency: 'CHF' } };
  const sums = new AmountSums({ byName: (name: string) => shops[name] } as never);
  sums.add(command({ merchant: 'one', amount: 1 }));
  sums.add(command({ merchant: 'two', amount: 10 }));
  sums.add(command({ merchant: 'two', amount: 100 }, 'payment.authorize'));
  sums.add(command({ merchant: 'unknown', amount: 7 }));
  expect(sums.result({ count: 4, isWhole: true }).money).toEqual([{ currency: 'EUR', amount: 1 }, { currency: 'CHF', amount: 110 }, { currency: 'not_named', amount: 7 }]);
}); // prettier-ignore

it('bounds the currencies that anybody may write', () => {
  const names = Array.from({ length: 26 }, (_, at) => `AA${String.fromCharCode(65 + at)}`);
  const { money } = sumsOf(...names.map((currency) => ({ amount: 1, currency }))).result({ count: 26, isWhole: true });
  expect(money).toHaveLength(21);
  expect(money.at(-1)).toEqual({ currency: 'others', amount: 6 });
});
