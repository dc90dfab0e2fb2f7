import { corsHeaders, readOrigins } from './origins.js';

describe('origins', () => {
  it('are read as they stand', () => {
    expect(readOrigins('https://a.example, http://localhost:8080')).toEqual(['https://a.example', 'http://localhost:8080']);
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

  const origins = new Set(['https://a.example']);
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
  ])('admits no %p', (origin) => expect(corsHeaders(origin, origins)).toBeUndefined());

  it('admits the exact one, and none without an origin', () => {
    expect(corsHeaders('https://a.example', origins)).toEqual({ 'access-control-allow-origin': 'https://a.example', vary: 'Origin' });
    expect(corsHeaders(undefined, origins)).toBeUndefined();
  });
});
