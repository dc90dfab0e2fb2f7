import type { Merchant } from '@tranche/contracts';
import { aCapture, aCardPayment, aPartnerAAuthorization, aPartnerBAuthorization, aVoid } from '@tranche/testing';
import { platformHash } from './hash.js';
import type { PlatformOperation } from './payment-rules.js';
import { operationForm } from './operation-form.js';

const merchant: Merchant = {
  merchant: 'shop-fr',
  identifier: 'SHOP',
  accountKey: 'account-key',
  market: 'FR',
  currency: 'EUR',
  lookup: false,
  apiKeys: [{ id: 'id-1', key: 'api-key' }],
};
const commandOf = (operation: PlatformOperation['operation'], data: unknown) =>
  ({ operation, data, merchant, rail: 'partner-a' }) as PlatformOperation;

function parametersOf(body: string): { method: string | null; parameters: Map<string, string> } {
  const form = new URLSearchParams(body);
  const named = [...form]
    .filter(([name]) => name !== 'method')
    .map(([name, value]) => [name.replace(/^params\[([^\]]*)\]/, '$1'), value] as const);
  return { method: form.get('method'), parameters: new Map(named) };
}

it.each([
  ['authorize', aPartnerAAuthorization(), 'authorization'],
  ['authorize', aPartnerBAuthorization(), 'authorization'],
  ['capture', aCapture(), 'capture'],
  ['refund', aCapture(), 'refund'],
  ['void', aVoid(), 'void'],
  ['pay', aCardPayment(), 'payment'],
] as const)(
  '%s is signed over exactly what is sent [Transaction.VERSION] [Platform.method] [Capture.request.*] [Capture.optional.{AMOUNT,EXTRADATA}] [Void.request.*] [Void.optional.EXTRADATA] [Authentication.5] [Versioning.VERSION] [Versioning.requests]',
  (operation, data, operationType) => {
    const form = operationForm(commandOf(operation, data), { transactionId: 'T1' });
    const { method, parameters } = parametersOf(form.body);
    expect([method, form.operationType, parameters.get('OPERATIONTYPE')]).toEqual([
      operationType,
      operationType,
      operationType,
    ]);
    expect(parameters.get('HASH')).toBe(platformHash('account-key', parameters));
    expect([parameters.get('IDENTIFIER'), parameters.get('VERSION')]).toEqual(['SHOP', '3.0']);
  },
);

it('names cart items params[CART][X][FIELD] and leaves out what is not given', () => {
  const [item] = aPartnerBAuthorization().cart;
  const { body } = operationForm(
    commandOf('authorize', aPartnerBAuthorization({ cart: [{ ...item!, price: 1, tax: undefined }, item!] })),
    {},
  );
  const names = [...new URLSearchParams(body).keys()];
  expect(names).toContain('params[CART][0][PRICE]');
  expect(names).toContain('params[CART][1][MERCHANTITEMID]');
  expect(names).not.toContain('params[CART][0][TAX]');
  expect(body).not.toContain('undefined');
});

it('signs with the key of APIKEYID when one is sent [Authentication.5.APIKEYID]', () => {
  const { body } = operationForm(commandOf('authorize', aPartnerAAuthorization({ apiKeyId: 'id-1' })), {});
  const { parameters } = parametersOf(body);
  expect([parameters.get('APIKEYID'), parameters.get('HASH')]).toEqual(['id-1', platformHash('api-key', parameters)]);
});

it('sends EXTRADATA as it is given for the attempt', () => {
  const form = operationForm(commandOf('capture', aCapture({ extraData: 'basket 7' })), {
    transactionId: 'T1',
    extraData: 'basket 7|tag',
  });
  expect(parametersOf(form.body).parameters.get('EXTRADATA')).toBe('basket 7|tag');
});

it('sends no EXTRADATA with a card payment, which has none [Payment.formats]', () => {
  const form = operationForm(commandOf('pay', aCardPayment()), { extraData: 'tag' });
  expect(parametersOf(form.body).parameters.has('EXTRADATA')).toBe(false);
});

it('asks for the platform’s default where no amount is given', () => {
  const { body } = operationForm(commandOf('capture', aCapture({ amount: undefined })), { transactionId: 'T1' });
  expect(parametersOf(body).parameters.has('AMOUNT')).toBe(false);
});
