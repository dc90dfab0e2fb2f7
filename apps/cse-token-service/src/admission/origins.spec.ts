import { readOrigins } from '../cse.config.js';

describe('origins', () => {
  it('are read as they stand', () => {
    expect(readOrigins('https://a.example, http://localhost:8080')).toEqual([
      'https://a.example',
      'http://localhost:8080',
    ]);
  });

  it.each([
    '*',
    'null',
    'a.example',
    'https://a.example/',
    'https://a.example/path',
    'https://*.example/',
    'https://a.example:443',
    'HTTPS://a.example',
    'https://A.example',
    'https://u@a.example',
    'https://a.example,',
    '',
  ])('are refused: %p', (text) => expect(() => readOrigins(text)).toThrow('not an origin'));
});
