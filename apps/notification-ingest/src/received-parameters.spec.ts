import { MAX_PARAMETERS, parametersOfForm, parametersOfJson } from './received-parameters.js';

describe('parameters of a form', () => {
  it('are decoded, flat and in their order, whatever their names are', () => {
    expect(parametersOfForm('B=1+2%203&CART%5B0%5D[NAME]=%C3%A9&__proto__=x&constructor=y&EMPTY=&BARE')).toEqual([
      ['B', '1 2 3'],
      ['CART[0][NAME]', 'é'],
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['EMPTY', ''],
      ['BARE', ''],
    ]);
  });

  it.each([
    ['', 'no parameters were sent'],
    ['A=1&B=2&A=1', 'a parameter came twice'],
    ['A=1&%41=2', 'a parameter came twice'],
    [Array.from({ length: MAX_PARAMETERS + 1 }, (_, i) => `P${i}=`).join('&'), 'more than 100 parameters'],
  ])('are refused: %.20s', (text, unreadable) => expect(parametersOfForm(text)).toEqual({ unreadable }));

  it('may be as many as the limit', () => {
    expect(parametersOfForm(Array.from({ length: MAX_PARAMETERS }, (_, i) => `P${i}=`).join('&'))).toHaveLength(MAX_PARAMETERS);
  });
});

describe('parameters of JSON', () => {
  it('are the members of a flat object of texts', () => {
    expect(parametersOfJson('{"A":"x: \\"y\\"","B":"{:,:}", "__proto__" : "z"}')).toEqual([
      ['A', 'x: "y"'],
      ['B', '{:,:}'],
      ['__proto__', 'z'],
    ]);
  });

  it.each([
    ['{', 'the body is not JSON'],
    ['null', 'the body must be a JSON object'],
    ['[["A","1"]]', 'the body must be a JSON object'],
    ['{"A":1}', 'every value must be a text'],
    ['{"A":{"B":"1"}}', 'every value must be a text'],
    ['{}', 'no parameters were sent'],
    ['{"A":"1","A":"1"}', 'a parameter came twice'],
    ['{"A":"1","\\u0041":"2"}', 'a parameter came twice'],
  ])('are refused: %s', (text, unreadable) => expect(parametersOfJson(text)).toEqual({ unreadable }));
});
