import { aCapture, aPartnerBAuthorization, processorMs } from '@tranche/testing';
import fc from 'fast-check';
import { validateCommandData } from '../commands/validate-command.js';
import { findCardData, holdsCardData, isCardFieldName, MAX_SEARCHED, shownName } from './card-data.js';

describe('field names', () => {
  it.each([
    'cardcode',
    'CARDCODE',
    'card_code',
    'card-code',
    'Card Code',
    'cardCvv',
    'cvv',
    'CVV2',
    'c.v.v',
    'cvc',
    'pan',
    'P.A.N',
    'cardNumber',
    'card_no',
    'cardValidityDate',
    'cardExpiry',
    'securityCode',
    'ｃｖｖ',
    'paymentCardNumber',
  ])('%s is one of a card', (name) => expect(isCardFieldName(name)).toBe(true));
  it.each([
    'company',
    'companyName',
    'span',
    'expanded',
    'cardFullName',
    'selectedBrand',
    'orderId',
    'hfToken',
    'panel',
    'japan',
    '',
  ])('%j is not', (name) => {
    expect(isCardFieldName(name)).toBe(false);
  });
});

describe('texts', () => {
  it.each([
    '4111111111111111',
    'card 4111 1111 1111 1111 thanks',
    '4111-1111-1111-1111',
    '4111.1111.1111.1111',
    '4111_1111_1111_1111',
    '4111 - 1111 - 1111 - 1111',
    '4111\u20131111\u20131111\u20131111',
    '4111\u20111111\u20111111\u20111111',
    '4111\u22121111\u22121111\u22121111',
    '4111  1111  1111  1111',
    '41111111 11111111',
    '12 41111111 11111111 34',
    '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1',
    '4111\u00a01111\u00a01111\u00a01111',
    '４１１１１１１１１１１１１１１１',
    '12 4111 1111 1111 1111 34',
    '378282246310005',
    '2223003122003222',
    '4111111111111111110',
    '{"pan":"4111111111111111"}',
    'x4111111111111111x',
    'my cvv: 123',
    'CVC2=1234',
    'cryptogramme : 123',
    'cryptogramme visuel : 123',
    'Cryptogramme de sécurité : 123',
    'Le cryptogramme de ma carte est 123, merci',
    'code de sécurité 123',
    'code sécurité : 123',
    'CVV n° 123',
    'CVV du client : 123',
    'cvc : 123 exp 12/29',
    'parcel 1Z4111111111111111',
    ...['500000000000000009', '5612345678901234561', '5700 0000 0000 0000 000', '۵۸۱۲۳۴۵۶۷۸۹۰۱۲۳۴۵۶۷'],
    ...['ma carte est le 501234567896', 'tarjeta: 5612345678905', '5812 3456 7898', 'card 4222222222222'],
    'Sarl Dupont, carte 36012345900206',
  ])('%j holds card data in any free text [Service.6.no-card-data]', (text) => {
    expect(holdsCardData(text)).toBe(true);
  });

  it.each([
    ['one digit changed', '4111111111111112'],
    ['11 digits', '41111111112'],
    ['20 digits in a row', '41111111111111111112'],
    ['zeros', '000000000000000'],
    ['a French phone number', 'call +33 6 12 34 56 78'],
    ['dates', 'from 2028-01-31 to 2028-02-29'],
    ['a UUID', '3f2b1c9e-5a70-4c55-9d0e-1f6f5f4f3f2f'],
    ['words', 'cvv'],
    ['nothing', ''],
    ...['123456789015', '1700000000004', '1234567812345670', '3700123456784', '4222222222222'].map((text) => [
      'a number that passes the Luhn check and no scheme issues',
      text,
    ]),
    ['a card’s digits in groups that no card has', '411 1111 1111 11111'],
    ['decimals', '2.4111111111111111'],
    ['a card’s digits with two kinds of separators', '4111-1111/1111-1111'],
    ['a date with the day first and a number', '30012028 00000007'],
    ['a list of models', 'Cartouche pour HP 4820/4840/4850/4860'],
    ['a date of six digits and a number of ten', '260418-8861007887'],
    ['a date and a phone', 'rdv 260918 0646329467'],
    ...[
      'Gaine CVC 160 mm',
      'Filtre CVC : 400 x 400',
      'Thermostat CVC-3000',
      'CVC: 160,5 mm',
      'Conduit CVC = 160mm',
    ].map((text) => ['a size of ventilation', text]),
    ...['Cryptograms 300 puzzles', 'Large Print Cryptogram: 300 puzzles'].map((text) => ['a book of puzzles', text]),
    ['a code of a door', 'Code de sécurité : 4711'],
    ...['1Z4111111000000052', '1z4111111000000052'].map((text) => ['a parcel of UPS', text]),
    ...['501234567896', 'Stylo 5612345678905', 'order 581234567898'].map((text) => ['an article or order', text]),
    ...['SSCC 361234567890100045', '(00)361234567890100045'].map((text) => ['an SSCC', text]),
    ['a parcel of DHL eCommerce', 'GM4111111111111111'],
    ['a parcel of Correos', 'PQ43B44111111111111111Y'],
    ['an order of TikTok Shop', 'TikTok 578012345678901236'],
    ["a creditor's reference", 'RF56 4111 1111 1111 1111'],
    ['a UUID of digits', '7f3fbab9-5611-9652-7643-f5f812fadd4b'],
    ...['Sarl', 'S.A.R.L.', 's.a.r.l.', 'S. A. S.', 'eurl'].map((form) => ['a SIRET', `${form} Martin 36012345900206`]),
  ])('%s: %j is none', (_name, text) => {
    expect(holdsCardData(text)).toBe(false);
  });

  it('takes a SIRET in any field of an address with a company name [Customer.SHIPTOCOMPANYNAME]', () => {
    const address = { lastName: 'Martin', address: 'Orange 36012345900206' };
    const faultsWith = (shipping: object) =>
      validateCommandData('partner-b', 'payment.authorize', { ...aPartnerBAuthorization(), shipping }).faults;
    expect(faultsWith({ ...address, companyName: 'Orange 36012345900206' })).toEqual([]);
    expect(faultsWith(address)).toMatchObject([{ path: 'shipping.address', code: 'card_data_forbidden' }]);
    expect(faultsWith({ ...address, companyName: 'Orange 4970101234567893' })).toHaveLength(1);
  });

  it('searches a text for a company once, however many numbers look like SIRETs', () => {
    const work = (numbers: number) => {
      const searched = jest.spyOn(RegExp.prototype, 'test');
      expect(holdsCardData(`${'36000000410009x '.repeat(numbers)} SARL`)).toBe(false);
      const characters = searched.mock.calls.reduce((all, [text]) => all + text.length, 0);
      searched.mockRestore();
      return characters;
    };
    expect(work(2_000)).toBeLessThan(work(1_000) * 2.5);
  });

  it('counts at most 400 characters of work for each group of a long run', () => {
    const tested = jest.spyOn(RegExp.prototype, 'test');
    const replaced = jest.spyOn(String.prototype, 'replace');
    expect(holdsCardData('1_'.repeat(2_000))).toBe(false);
    const work = [...tested.mock.calls.map(([text]) => text), ...replaced.mock.contexts];
    const characters = work.reduce<number>((all, text) => all + String(text).length, 0);
    jest.restoreAllMocks();
    expect(characters).toBeLessThan(2_000 * 400);
  });

  it('is quick on long digits and separators', () => {
    const texts = ['1 '.repeat(2000), '1-'.repeat(2000), '9'.repeat(4000), ' .'.repeat(2000)];
    const judge = () => texts.forEach((text) => holdsCardData(text));
    expect(processorMs(judge)).toBeLessThan(2_000);
  });
});

describe('values that do not belong in the message', () => {
  it.each([
    [{ payment: { cardcode: 'x' } }, 'payment.cardcode'],
    [{ list: [1, { deep: ['4111111111111111'] }] }, 'list[1].deep[0]'],
    [4111111111111111, ''],
    [JSON.parse('4111111111111111110'), ''],
    [4111111111111112, undefined],
    [1e300, undefined],
    [['4111111111111111'], '[0]'],
    [{ '4111111111111111': 1 }, '(name withheld)'],
    [JSON.parse('{"__proto__":{"cvv":"123"}}'), '__proto__.cvv'],
  ])('%j has it at %j', (value, path) => expect(findCardData(value)).toBe(path));

  it('is searched up to a limit for all values together', () => {
    const left = { characters: MAX_SEARCHED };
    expect(findCardData({ a: 'x'.repeat(MAX_SEARCHED), b: '4111111111111111' }, left)).toBeUndefined();
    expect(left.characters).toBe(0);
  });

  it('stops at the maximum depth', () => {
    let deep: unknown = '4111111111111111';
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(findCardData(deep)).toBeUndefined();
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.anything(), (value) => void findCardData(value)));
  });
});

it.each([
  ['orderId', 'orderId'],
  ['4111111111111111', '(name withheld)'],
  ['card 4111 1111', '(name withheld)'],
  ['a\nb', '(name withheld)'],
  ['x'.repeat(41), '(name withheld)'],
  ['__proto__', '__proto__'],
])('shows the name %j as %s', (name, shown) => expect(shownName(name)).toBe(shown));

it('a text with the number of a business is taken, and one with a card in its place refused [Transaction.DESCRIPTION] [Customer.SHIPTOCOMPANYNAME]', () => {
  const faultsWith = (text: string) =>
    validateCommandData('partner-a', 'payment.capture', aCapture({ description: text, extraData: text })).faults;
  for (const text of ['SARL Dupont 39860733300059', 'Amazon 403-1234567-1234567', 'IBAN FR7630006000011234567890189'])
    expect(faultsWith(text)).toEqual([]);
  expect(faultsWith('SARL Dupont 4970101234567893')).toHaveLength(2);
});
