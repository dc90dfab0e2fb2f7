import { validateCommandData } from '@tranche/contracts';
import { aCapture } from '@tranche/testing';
import { KINDS } from './kinds.js';
import { SCHEMES } from './planted.js';
import { falseRefusals, missedCards } from './texts.js';

/** `npm run bench -- texts` takes 10,000 of each kind. */
const TEXTS = 1_000;

it('refuses at most one in a thousand ordinary texts of each kind [Transaction.DESCRIPTION]', () => {
  const often = falseRefusals(TEXTS, 7).filter(({ wrong, texts }) => wrong > texts / 1_000);
  expect(often).toEqual([]);
  expect(Object.keys(KINDS).length).toBeGreaterThanOrEqual(38);
});

it('finds every planted card of every scheme', () => {
  expect(missedCards(TEXTS, 7).filter(({ wrong }) => wrong > 0)).toEqual([]);
  expect(SCHEMES.length).toBeGreaterThanOrEqual(8);
});

it('a command with such texts is taken, and one with a card in its place refused [Customer.SHIPTOCOMPANYNAME]', () => {
  const faultsWith = (text: string) =>
    validateCommandData('partner-a', 'payment.capture', aCapture({ description: text, extraData: text })).faults;
  for (const text of ['SARL Dupont 39860733300059', 'Amazon 403-1234567-1234567', 'IBAN FR7630006000011234567890189'])
    expect(faultsWith(text)).toEqual([]);
  expect(faultsWith('SARL Dupont 4970101234567893')).toHaveLength(2);
});
