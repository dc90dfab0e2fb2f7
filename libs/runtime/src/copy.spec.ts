import { compact, copyWith } from './values.js';

describe('compact', () => {
  it('leaves out what is undefined, and gives the value itself where nothing is', () => {
    const whole = { name: 'one', count: 0 };
    expect(compact(whole)).toBe(whole);
    expect(Object.keys(compact({ name: undefined, count: 0 }))).toEqual(['count']);
  });
});

describe('copyWith', () => {
  it('copies the value and sets the properties, undefined ones too', () => {
    const value: { name?: string; count: number } = { name: 'one', count: 1 };
    expect(Object.entries(copyWith(value, { name: undefined }))).toEqual([
      ['name', undefined],
      ['count', 1],
    ]);
    expect(value.name).toBe('one');
  });
});
