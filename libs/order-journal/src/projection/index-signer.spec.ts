import { emptyOrder } from '../state/order-state.js';
import { IndexSigner, readIndexKeys } from './index-signer.js';

const secret = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const sealOf = (keys: string, scope = 'gateway:4-signed:') => new IndexSigner(scope, readIndexKeys(keys));
const first = sealOf(`one:${secret(1)}`);

const order = { ...emptyOrder('shop-fr', 'o'), lastOffset: '7' };
const KEY = 'shop-fr/o';
const state = JSON.stringify(order);
const stored = first.signState(KEY, 'rebuild', state);
const marker = `${first.signMarker(3, '7 rebuild hash')} 1:0:0:0`;

it('reads what it wrote', () => {
  expect(first.verifyState(KEY, 'rebuild', stored)).toEqual(order);
  expect(first.verifyMarker(3, marker, '1:0:0:0')).toEqual({ offset: 7n, generation: 'rebuild', hash: 'hash' });
});

it('still detects by its counts that an index has lost entries', () => {
  expect([first.isMarker(3, marker), first.verifyMarker(3, marker, '0:0:0:0')]).toEqual([true, undefined]);
});

it.each([
  ['that was edited', KEY, 'rebuild', stored.replace('"7"', '"6"')],
  ['without a signature', KEY, 'rebuild', state],
  ['whose signature was cut', KEY, 'rebuild', stored.slice(0, -1)],
  ['of another order', KEY, 'rebuild', first.signState('shop-fr/p', 'rebuild', state)],
  ['of an earlier rebuild', KEY, 'later', stored],
  ['of another environment', KEY, 'rebuild', sealOf(`one:${secret(1)}`, 'other:').signState(KEY, 'rebuild', state)],
  ['signed with another key', KEY, 'rebuild', sealOf(`one:${secret(2)}`).signState(KEY, 'rebuild', state)],
  ['of a key that is not there any more', KEY, 'rebuild', sealOf(`two:${secret(1)}`).signState(KEY, 'rebuild', state)],
])('does not take a state %s', (_what, key, generation, text) => {
  expect(first.verifyState(key, generation, text)).toBeUndefined();
});

it.each([
  ['with a higher offset', 3, marker.replace('7', '9')],
  ['of another partition', 4, marker],
  ['without a signature', 3, '7 rebuild hash 1:0:0:0'],
  ['that is a state', 3, `${first.signState('3', 'rebuild', '7 rebuild hash')} 1:0:0:0`],
])('does not take a marker %s', (_what, partition, text) => {
  expect([first.isMarker(partition, text), first.verifyMarker(partition, text)]).toEqual([false, undefined]);
});

it('rotates: the first key signs, each one verifies', () => {
  const both = sealOf(`two:${secret(2)},one:${secret(1)}`);
  expect(both.verifyState(KEY, 'rebuild', stored)).toEqual(order);
  const anew = both.signState(KEY, 'rebuild', state);
  expect([
    sealOf(`two:${secret(2)}`).verifyState(KEY, 'rebuild', anew),
    first.verifyState(KEY, 'rebuild', anew),
  ]).toEqual([order, undefined]);
});

it('without keys stores texts as they are', () => {
  const none = new IndexSigner('gateway:4:');
  expect(none.signState(KEY, 'rebuild', state)).toBe(state);
  expect(none.verifyState(KEY, 'rebuild', state)).toEqual(order);
  expect(none.signMarker(3, '7 rebuild hash')).toBe('7 rebuild hash');
  expect(none.verifyMarker(3, '7 rebuild hash 1:0:0:0')?.offset).toBe(7n);
});

it.each([
  ['no id', secret(1)],
  ['a short key', `one:${Buffer.alloc(31).toString('base64')}`],
  ['no base64', 'one:____'],
  ['an id twice', `one:${secret(1)},one:${secret(2)}`],
  ['an end that is empty', `one:${secret(1)},`],
])('refuses keys with %s, and does not repeat them', (_what, text) => {
  expect(() => readIndexKeys(text)).toThrow();
  expect(() => readIndexKeys(text)).not.toThrow(text.split(':').at(-1) || 'empty');
});
