import { headersOfOrigins, readOrigins } from './origins.js';

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

  const origins = headersOfOrigins(['https://a.example']);
  it.each([
    'https://b.example',
    'https://a.example.evil',
    'http://a.example',
    'https://a.example:8443',
    'https://A.example',
    'https://a.example/',
    'null',
    '',
    'https://a.example, https://a.example',
    '__proto__',
  ])('admit no %p', (origin) => expect(origins.get(origin)).toBeUndefined());

  it('admit the exact one, and name it', () => {
    expect(origins.get('https://a.example')?.['access-control-allow-origin']).toBe('https://a.example');
  });
});
