import type { Merchant } from '@tranche/contracts';
import type { Transaction } from '../transactions/transaction.js';
import { escapeHtml, formPage, instalmentsOf, resultPage } from './form-page.js';

const merchant: Merchant = {
  merchant: 'shop',
  identifier: 'Shop',
  accountKey: 'k',
  market: 'FR',
  currency: 'EUR',
  lookup: false,
};
const transaction: Transaction = {
  transactionId: 't',
  initialId: 't',
  identifier: 'Shop',
  orderId: `"><script>alert('1')</script>&`,
  operationType: 'authorization',
  method: 'A',
  amount: 10_000,
  paymentOption: 'partnerA-3xcb',
  birthDate: '1990-01-31"><b>',
  version: '3.0',
  externalReference: '1',
  createdAtMs: 0,
  state: 'redirected',
  execCode: '0002',
  isCaptured: false,
  refundedAmount: 0,
};

describe('formPage', () => {
  it('lets nothing through unescaped', () => {
    const html = formPage(transaction, merchant);
    expect(html).toContain('&#34;&#62;&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62;&#38;');
    expect(html).toContain('value="1990-01-31&#34;&#62;&#60;b&#62;"');
    expect(html).not.toMatch(/<script|<b>/);
    expect(resultPage(transaction, 'https://shop.example/?a=1&b="')).toContain(
      'href="https://shop.example/?a=1&#38;b=&#34;"',
    );
  });

  it('shows the amount and its instalments, and asks for the date of birth with method A only', () => {
    const html = formPage(transaction, merchant);
    for (const text of [
      '€100.00',
      '€33.34 today',
      '€33.33 in a month',
      '€33.33 in 2 months',
      'type="date"',
      'width=device-width',
    ])
      expect(html).toContain(text);
    expect(formPage({ ...transaction, method: 'B' }, merchant)).not.toContain('type="date"');
  });

  it.each([
    ['A', ['validate', 'abandon', 'refuse']],
    ['B', ['validate', 'abandon', 'pending', 'refuse']],
  ] as const)('offers method %s %j', (method, decisions) => {
    const html = formPage({ ...transaction, method }, merchant);
    expect([...html.matchAll(/name="decision" value="(\w+)"/g)].map(([, decision]) => decision)).toEqual(decisions);
  });

  it("keeps what only a provider decides apart from the buyer's buttons", () => {
    const html = formPage({ ...transaction, method: 'B' }, merchant);
    const [buyers = '', providers = ''] = html.split('<fieldset>');
    expect([buyers.includes('value="refuse"'), buyers.includes('value="pending"')]).toEqual([false, false]);
    expect([providers.includes('value="validate"'), providers.includes('value="abandon"')]).toEqual([false, false]);
  });
});

it.each([
  [10_000, 3, [3334, 3333, 3333]],
  [15_000, 4, [3750, 3750, 3750, 3750]],
  [15_003, 4, [3753, 3750, 3750, 3750]],
  [500, 1, [500]],
])('%i in %i instalments', (amount, count, expected) => {
  expect(instalmentsOf(amount, count)).toEqual(expected);
});

it('escapeHtml', () => {
  expect(escapeHtml(`a<b>"c"&'d'`)).toBe('a&#60;b&#62;&#34;c&#34;&#38;&#39;d&#39;');
});
