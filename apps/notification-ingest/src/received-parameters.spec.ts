import {
  MAX_PARAMETERS,
  parametersOfForm,
  parametersOfJson,
  type Parameters,
  type Unreadable,
} from './received-parameters.js';
import { charsetOf } from '@tranche/platform';

const form = (text: string, encoding: BufferEncoding = 'utf8') => parametersOfForm(Buffer.from(text, encoding));
const json = (text: string, encoding: BufferEncoding = 'utf8') => parametersOfJson(Buffer.from(text, encoding));
const texts = (read: Parameters | Unreadable) => (read as Parameters).map(([name, value]) => [name, value]);
const names = (count: number) => Array.from({ length: count }, (_, i) => `P${i}`);

describe('parameters of a form', () => {
  it('are decoded, flat and in their order', () => {
    expect(form('B=1+2%203&CART%5B0%5D[NAME]=%C3%A9é&__proto__=x&constructor=y&EMPTY=&BARE&')).toEqual([
      ['B', '1 2 3'],
      ['CART[0][NAME]', 'éé'],
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['EMPTY', ''],
      ['BARE', ''],
    ]);
  });

  it('keep every character of a value', () => {
    const value = '=&+%\0\ufeff\u{1f600}\r\n;#"\\';
    expect(form(`A=${encodeURIComponent(value)}`)).toEqual([['A', value]]);
    expect(form('A=b=c=')).toEqual([['A', 'b=c=']]);
    expect(form('\u0041=%ef%BB%bfx')).toEqual([['A', '\ufeffx']]);
  });

  it.each([
    ['', 'no parameters were sent'],
    ['&&', 'no parameters were sent'],
    ['A=1&B=2&A=1', 'a parameter came twice'],
    ['A=1&%41=2', 'a parameter came twice'],
    [
      names(MAX_PARAMETERS + 1)
        .map((name) => `${name}=`)
        .join('&'),
      'more than 100 parameters',
    ],
  ])('are refused: %.20s', (text, unreadable) => expect(form(text)).toEqual({ unreadable }));

  it.each([
    ['A=%', '%'],
    ['A=%4', '%4'],
    ['A=%zz%4g', '%zz%4g'],
    ['A=100%+and', '100% and'],
    ['A=%%34', '%4'],
  ])('hold a percent sign that begins no byte as itself: %s', (text, value) =>
    expect(form(text)).toEqual([['A', value]]),
  );

  it.each([
    ['A=Op%E9ration', 'Opération', 'Op\xe9ration'],
    ['A=Op\xe9ration', 'Opération', 'Op\xe9ration'],
    ['A=30+%80', '30 €', '30 \x80'],
    ['A=%C3%28', 'Ã(', '\xc3('],
    ['A=%ED%A0%80', 'í\xa0€', '\xed\xa0\x80'],
    ['A=%81%E9', '\x81é', '\x81\xe9'],
  ])('that are not UTF-8 are windows-1252 and keep their bytes: %j', (text, value, bytes) =>
    expect(form(text, 'latin1')).toEqual([['A', value, { name: 'A', value: bytes }]]),
  );

  it('are read each by itself: what is UTF-8 stays so, whatever is beside it or named', () => {
    const read = parametersOfForm(Buffer.from('A=%C3%A9&B=%E9&PR%C9NOM=x'), 'iso-8859-15');
    expect(texts(read)).toEqual([['A', 'é'], ['B', 'é'], ['PRÉNOM', 'x']]); // prettier-ignore
    expect((read as Parameters).map(({ length }) => length)).toEqual([2, 3, 3]);
  });

  it.each([
    ['ISO-8859-1', '\xa4€'],
    ['"iso-8859-15"', '€\x80'],
    ['windows-1251', '¤Ђ'],
    ['windows-1253', '¤€'],
    ['UTF-16', '\xa4€'],
    ['shift_jis', '\xa4€'],
    ['no-charset', '\xa4€'],
  ])('are read by the charset %s if it has one byte for each character', (charset, value) => {
    const type = `application/x-www-form-urlencoded; charset=${charset}`;
    expect(texts(parametersOfForm(Buffer.from('A=%A4%80'), charsetOf(type)))).toEqual([['A', value]]);
  });

  it('are refused where two names are one in their charsets', () =>
    expect(form('PR%C9NOM=1&PR%C3%89NOM=2')).toEqual({ unreadable: 'a parameter came twice' }));

  it.each([
    '=1',
    'A%3DB=1',
    '%20A=1',
    'A%20=1',
    '?A[=1',
    'A%00=1',
    '%EF%BB%BFA=1',
    'A[=1',
    'A]=1',
    'A[0=1',
    'A]0[=1',
    '[0]=1',
    'A[0]B=1',
    'A[[0]]=1',
    'A[%5B]=1',
    'A%E2%80%8B=1',
    `${'A'.repeat(129)}=1`,
  ])('are refused where a name is none: %.30s', (text) =>
    expect(form(text)).toEqual({ unreadable: 'a name cannot be one' }),
  );

  it.each([
    'A',
    'a0_-.',
    'A[]',
    'AMOUNTS[2027-01-02]',
    'CART[10][NAME]',
    '3DSECURE',
    'A'.repeat(128),
    'CUSTOM FIELD',
    'x:y',
    'PRÉNOM',
    'A[é è]',
    '?A',
    'A;B',
  ])('may be called %.30s', (name) => expect(form(`${name}=1&`)).toEqual([[name, '1']]));

  it.each([
    ['A=1&amp;B=%26amp;&amp;C=;', [['A', '1'], ['B', '&amp;'], ['C', ';']]], // prettier-ignore
    ['A=1;B=2;', [['A', '1'], ['B', '2']]], // prettier-ignore
    ['A=1&amp;B=2&C=3', [['A', '1'], ['amp;B', '2'], ['C', '3']]], // prettier-ignore
    ['A=1&B=2;3\r\n', [['A', '1'], ['B', '2;3']]], // prettier-ignore
  ])('are parted by &amp; or ; where nothing else parts them: %s', (text, pairs) => expect(form(text)).toEqual(pairs));

  it('may be as many as the limit', () => {
    expect(
      form(
        names(MAX_PARAMETERS)
          .map((name) => `${name}=`)
          .join('&'),
      ),
    ).toHaveLength(MAX_PARAMETERS);
  });
});

describe('parameters of JSON', () => {
  it('are the members of a flat object of texts', () => {
    expect(json('{"A":"x: \\"y\\"","B":"{:,:}", "__proto__" : "z"}')).toEqual([
      ['A', 'x: "y"'],
      ['B', '{:,:}'],
      ['__proto__', 'z'],
    ]);
    expect(json('{"A":"\ufeff1"}')).toEqual([['A', '\ufeff1']]);
    expect(json('{"A":30000 ,"B" : -1.50e+2}')).toEqual([['A', '30000'], ['B', '-1.50e+2']]); // prettier-ignore
    expect(json('{"A":"\\ud83d\\ude00\\u0000"}')).toEqual([['A', '\u{1f600}\0']]);
  });

  it.each([
    ['{', 'the body is not JSON'],
    ['{"A":"1"}{"B":"1"}', 'the body is not JSON'],
    ['null', 'the body must be a JSON object'],
    ['[["A","1"]]', 'the body must be a JSON object'],
    ['"A=1"', 'the body must be a JSON object'],
    ['{"A":null}', 'every value must be a text or a number'],
    ['{"A":true}', 'every value must be a text or a number'],
    ['{"A":["1"]}', 'every value must be a text or a number'],
    ['{"A":{"B":"1"},"A":"2"}', 'a parameter came twice'],
    ['{"A":{"B":"1"}}', 'every value must be a text or a number'],
    ['{"A":"\\ud800"}', 'a value is not Unicode text'],
    ['{"A":"x\\udc00x"}', 'a value is not Unicode text'],
    ['{"A\\ud800":"1"}', 'a name cannot be one'],
    ['{"A=B":"1"}', 'a name cannot be one'],
    ['{"":"1"}', 'a name cannot be one'],
    ['{}', 'no parameters were sent'],
    ['{"A":"1","A":"1"}', 'a parameter came twice'],
    ['{"A":"1","\\u0041":"2"}', 'a parameter came twice'],
    ['{"A":"1","\\u0041":"\\":"}', 'a parameter came twice'],
    ['{"__proto__":"1","__proto__":"2"}', 'a parameter came twice'],
    [
      JSON.stringify(Object.fromEntries(names(MAX_PARAMETERS + 1).map((name) => [name, '']))),
      'more than 100 parameters',
    ],
  ])('are refused: %.30s', (text, unreadable) => expect(json(text)).toEqual({ unreadable }));

  it('that are not UTF-8 are read by the charset, as in a form, and keep their bytes', () =>
    expect(json('{"A":"\xe9","B":1}', 'latin1')).toEqual([
      ['A', 'é', { name: 'A', value: '\xe9' }],
      ['B', '1'],
    ]));

  it('that are not UTF-8 and have an escape beyond one byte are refused', () =>
    expect(json('{"A":"\xe9","B":"\\u20ac"}', 'latin1')).toEqual({
      unreadable: 'it is not UTF-8, and has escapes beyond its charset',
    }));
});
