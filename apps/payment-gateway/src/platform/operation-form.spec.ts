import { platformHash, type Merchant } from '@tranche/contracts';
import { operationTag, untagExtraData } from '@tranche/order-journal';
import { aCapture, aCardPayment, aPartnerAAuthorization, aPartnerBAuthorization, aVoid } from '@tranche/testing';
import type { AcceptedCommand } from '../command/accepted-command.js';
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
const commandOf = (operation: AcceptedCommand['operation'], data: unknown) =>
  ({ operation, data, merchant, commandId: 'command-1', rail: 'partner-a' }) as AcceptedCommand;

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
] as const)('%s is signed over exactly what is sent', (operation, data, operationType) => {
  const form = operationForm(commandOf(operation, data), { attempt: 1, transactionId: 'T1' });
  const { method, parameters } = parametersOf(form.body);
  expect([method, form.operationType, parameters.get('OPERATIONTYPE')]).toEqual([operationType, operationType, operationType]);
  expect(parameters.get('HASH')).toBe(platformHash('account-key', parameters));
  expect([parameters.get('IDENTIFIER'), parameters.get('VERSION')]).toEqual(['SHOP', '3.0']);
});

it('names cart items params[CART][X][FIELD] and leaves out what is not given', () => {
  const [item] = aPartnerBAuthorization().cart;
  const { body } = operationForm(
    commandOf('authorize', aPartnerBAuthorization({ cart: [{ ...item!, price: 1, tax: undefined }, item!] })),
    { attempt: 1 },
  );
  const names = [...new URLSearchParams(body).keys()];
  expect(names).toContain('params[CART][0][PRICE]');
  expect(names).toContain('params[CART][1][MERCHANTITEMID]');
  expect(names).not.toContain('params[CART][0][TAX]');
  expect(body).not.toContain('undefined');
});

it('signs with the key of APIKEYID when one is sent', () => {
  const { body } = operationForm(commandOf('authorize', aPartnerAAuthorization({ apiKeyId: 'id-1' })), { attempt: 1 });
  const { parameters } = parametersOf(body);
  expect([parameters.get('APIKEYID'), parameters.get('HASH')]).toEqual(['id-1', platformHash('api-key', parameters)]);
});

it('puts the tag of operation and attempt behind the caller’s EXTRADATA', () => {
  const form = operationForm(commandOf('capture', aCapture({ extraData: 'basket 7' })), { attempt: 3, transactionId: 'T1' });
  const { parameters } = parametersOf(form.body);
  expect(form.isTagged).toBe(true);
  expect(untagExtraData(parameters.get('EXTRADATA'))).toEqual({
    extraData: 'basket 7',
    tag: { operation: operationTag('command-1'), attempt: 3 },
  });
});

it('sends no EXTRADATA with a card payment, which has none', () => {
  const form = operationForm(commandOf('pay', aCardPayment()), { attempt: 1 });
  expect([form.isTagged, parametersOf(form.body).parameters.has('EXTRADATA')]).toEqual([false, false]);
});

it('asks for the platform’s default where no amount is given', () => {
  const { body } = operationForm(commandOf('capture', aCapture({ amount: undefined })), { attempt: 1, transactionId: 'T1' });
  expect(parametersOf(body).parameters.has('AMOUNT')).toBe(false);
});
