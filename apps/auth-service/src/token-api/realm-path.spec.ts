import { readRealmPath } from './token-api-problems.js';

describe('the realm path', () => {
  it.each([
    [{ path: '/realms/demo', name: 'demo' }, '/realms/demo'],
    [{ path: '/' }, '/'],
    [{ path: `/${'a'.repeat(1_023)}`, more: [1] }, `/${'a'.repeat(1_023)}`],
  ])('of %j is its path', (answer, path) => {
    expect(readRealmPath(answer)).toBe(path);
  });

  it.each([
    undefined,
    null,
    '/realms/demo',
    ['/realms/demo'],
    [{ path: '/realms/demo' }],
    {},
    { realm: '/realms/demo' },
    { path: 7 },
    { path: '' },
    { path: 'realms/demo' },
    { path: '/realms/de mo' },
    { path: '/realms/\n' },
    { path: `/${'a'.repeat(1_024)}` },
  ])('is not guessed at: %j [TokenApi.realms.body]', (answer) => {
    expect(() => readRealmPath(answer)).toThrow(/^GET \/iam\/realms\/my gave no realm path: /);
  });
});
