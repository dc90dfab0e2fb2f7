import { parseFormBody, segmentsOf } from './flat-parameters.js';

const flat = (body: string) => {
  const form = parseFormBody(body);
  return form && [form.method, ...form.parameters];
};

describe('parseFormBody', () => {
  const expected = ['capture', ['DESCRIPTION', 'two words'], ['CART[10][NAME]', 'Café & crème']];
  it.each([
    [
      'bare brackets, +',
      'method=capture&params[DESCRIPTION]=two+words&params[CART][10][NAME]=Caf%C3%A9+%26+cr%C3%A8me',
    ],
    [
      'capital escapes, %20',
      'method=capture&params%5BDESCRIPTION%5D=two%20words&params%5BCART%5D%5B10%5D%5BNAME%5D=Caf%c3%a9%20%26%20cr%c3%a8me',
    ],
    [
      'small escapes, bare UTF-8',
      'method=capture&params%5bDESCRIPTION%5d=two+words&params%5bCART%5d%5b10%5d%5bNAME%5d=Café+%26+crème',
    ],
    [
      'method last, empty pairs, other fields',
      '&foo=bar&params[DESCRIPTION]=two+words&&params[CART][10][NAME]=Café %26 crème&method=capture&',
    ],
  ])('reads %s', (_title, body) => {
    expect(flat(body)).toEqual(expected);
  });

  it('keeps empty values, equal signs in values and the last of two', () => {
    expect(flat('method=a&params[A]=&params[B]=x=y&params[C]&params[B]=z==')).toEqual([
      'a',
      ['A', ''],
      ['B', 'z=='],
      ['C', ''],
    ]);
  });

  it('takes names of the prototype for what they are: names', () => {
    expect(flat('method=a&params[__proto__]=1&params[constructor]=2')).toEqual([
      'a',
      ['__proto__', '1'],
      ['constructor', '2'],
    ]);
  });

  it.each([
    ['nothing', ''],
    ['neither method nor parameters', 'hello=world'],
    ['a JSON body', '{"method":"capture"}'],
    ['a broken escape', 'method=capture&params[A]=%E9'],
    ['an unclosed bracket', 'method=capture&params[A=1'],
    ['an empty bracket', 'method=capture&params[CART][][NAME]=1'],
    ['brackets in brackets', 'method=capture&params[CART[0]]=1'],
  ])('cannot read %s', (_title, body) => {
    expect(parseFormBody(body)).toBeUndefined();
  });
});

describe('segmentsOf', () => {
  it('takes a flat name apart', () => {
    expect(segmentsOf('CART[0][PRICE]')).toEqual(['CART', '0', 'PRICE']);
    expect(segmentsOf('AMOUNT')).toEqual(['AMOUNT']);
  });
});
