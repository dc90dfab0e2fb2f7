import fc from 'fast-check';
import { holdsCardData } from './card-data.js';
import { holdsHiddenCardData, isCryptogramName, withoutHiddenCardData } from './hidden-card-data.js';

const CARD = '4970101200040016';
const PARTS = ['4970', '1012', '0004', '0016'];

const written: Record<string, string> = {
  plain: CARD,
  ...Object.fromEntries(
    [' ', '  ', '\t', '\n', '\r\n', '/', ',', ', ', '+', '–', ' - ', ':', '|', "','", '\u200b', '\u00a0', '\u00ad'].map(
      (separator) => [`separated by ${JSON.stringify(separator)}`, PARTS.join(separator)],
    ),
  ),
  'separated by HTML': PARTS.join('&nbsp;'),
  'separated by an entity': PARTS.join('&#160;'),
  'separated by percent signs': PARTS.join('%20%20'),
  'in decimal entities': [...CARD].map((digit) => `&#${48 + Number(digit)};`).join(''),
  'in hexadecimal entities': [...CARD].map((digit) => `&#x3${digit};`).join(''),
  'in JSON escapes': [...CARD].map((digit) => `\\u003${digit}`).join(''),
  'with one JSON escape': `\\u0034${CARD.slice(1)}`,
  'with an escape of an escape': `\\\\u0034${CARD.slice(1)}`,
  'in percent signs': [...CARD].map((digit) => `%3${digit}`).join(''),
  'in percent signs twice': [...CARD].map((digit) => `%253${digit}`).join(''),
  'in Arabic digits': [...CARD].map((digit) => String.fromCodePoint(0x660 + Number(digit))).join(''),
  'in Devanagari digits': [...CARD].map((digit) => String.fromCodePoint(0x966 + Number(digit))).join(''),
  'in full-width digits': [...CARD].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join(''),
  'in bold digits': [...CARD].map((digit) => String.fromCodePoint(0x1d7ce + Number(digit))).join(''),
  'with marks': [...CARD].join('\u0301'),
  'before its expiry date': `${CARD}12/29`,
  'glued to its expiry date': `${CARD}1229`,
  'glued to its expiry date and CVV': `x${CARD}1229123`,
  'as on a magnetic stripe': `;${CARD}=29121010000000000000?`,
};

it.each(Object.entries(written))('finds a card number %s', (_how, text) => {
  for (const around of [text, `paid with ${text}, thanks`, JSON.stringify({ note: text })]) {
    expect(holdsHiddenCardData(around)).toBe(true);
    const kept = withoutHiddenCardData(around);
    expect(kept.replace(/\D/g, '')).toMatch(/^(?:0016)?$/);
    expect(withoutHiddenCardData(kept)).toBe(kept);
  }
});

it('masks what follows a number, and keeps the number’s last four digits', () => {
  expect(withoutHiddenCardData('no 4970 1012 0004 0016 12/29 123')).toBe('no XXXX XXXX XXXX 0016 XX/XX XXX');
});

it.each([
  ...['cvv 123', 'cvv is 123', 'CVV code: 123', 'CustomCVV2=123', 'cvc: 1234', 'csc 123', 'cvn=123', 'cid: 1234'],
  ...[
    'security code 123',
    'securityCode":"123"',
    'verification_value=123',
    'code de sécurité : 123',
    'code_securite=123',
    'Cryptogramme de sécurité : 123',
    'CVV du client : 123',
  ],
  ...['código de seguridad 123', 'codice di sicurezza 123', 'Prüfnummer 123', 'CVV ١٢٣', 'c\u200bvv 123', 'cvv%3D123'],
])('finds a CVV in %j', (text) => {
  expect(holdsHiddenCardData(text)).toBe(true);
  expect(withoutHiddenCardData(`a ${text} b`)).not.toMatch(/\d{3}|١٢٣/);
});

it.each([
  '2027-01-02T03:04:05.678Z',
  '2027-01-02 03:04:05',
  '02/01/2027, 03:04:05',
  '20270102030405',
  '+33 6 12 34 56 78, +33 1 23 45 67 89',
  'FR76 3000 6000 0112 3456 7890 189',
  'DE89370400440532013000',
  'SARL Dupont 39860733300059',
  'Dupont 303 265 045 00013, 30326504500013',
  'ES46 4970 1012 3456 7893 0005',
  '3f2b1c9e-5a70-4c55-9d0e-1f6f5f4f3f2f',
  '1760000000000',
  '0010000000000000042',
  'order 1234567, 3 articles at 4990, 100% new & safe',
  'https://shop.example/?a=1&b=2%20c',
  'the second 123',
  'cvv',
  'Acid 123',
  '',
])('finds nothing in %j, and changes nothing', (text) => {
  expect(withoutHiddenCardData(text)).toBe(text);
});

it.each([
  ...['CARDCVV', 'cvv', 'csc', 'cvn', 'cid', 'securityCode', 'card[cvv]', 'verification_value', 'CustomCVV2'],
  ...['code_securite', 'Code de sécurité', 'CARDCRYPTOGRAM', 'ｃｖｖ', 'codigo_seguridad', 'cc_csc'],
])('%s is the name of a cryptogram', (name) => expect(isCryptogramName(name)).toBe(true));
it.each(['CARDCODE', 'ORDERID', 'postcode', 'description', 'clientIdent', 'CARDVALIDITYDATE', 'acid', ''])(
  '%j is not',
  (name) => expect(isCryptogramName(name)).toBe(false),
);

it('masks all that a command is refused for', () => {
  const piece = fc.constantFrom(
    ...['4970101234567893', '4970', '1012', '3456', '7893', '5555555555554444', '49701012', '34567893', '%4', '%34'],
    ...[' ', '  ', '   ', '-', ' - ', '  -  ', '.', '_', '/', '\n', '\u00a0', '\u2011', '1', 'x', 'cvc: ', '123'],
    ...['EAN 4006381333931', 'FR7630006000011234567890189', '1Z4111111000000052', 'cryptogramme visuel : 123'],
  );
  const between = fc.tuple(
    fc.array(piece),
    fc.constantFrom(' ', '-', ' - ', '  -  ', '.', '_', '   ', '\n'),
    fc.array(piece),
  );
  const text = between.map(([before, by, after]) =>
    [...before, ['4970', '1012', '3456', '7893'].join(by), ...after].join(''),
  );
  fc.assert(
    fc.property(text, (given) => {
      expect(holdsHiddenCardData(given)).toBe(holdsHiddenCardData(given) || holdsCardData(given));
      const kept = withoutHiddenCardData(given);
      expect(holdsCardData(kept)).toBe(false);
      expect(kept === given).toBe(!holdsHiddenCardData(given));
    }),
    { numRuns: 500 },
  );
});

it('never throws', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void withoutHiddenCardData(text)));
});
