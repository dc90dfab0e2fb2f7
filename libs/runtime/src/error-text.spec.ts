import { asError, errorText, ignoreErrors, reasonOf } from './reports.js';

describe('an error', () => {
  it("finds the reason in Node's connection errors", () => {
    const refused = Object.assign(new Error(''), { code: 'ECONNREFUSED' });
    expect(reasonOf(new AggregateError([refused, refused]))).toBe('ECONNREFUSED');
    expect(reasonOf(new TypeError(''))).toBe('TypeError');
    expect(reasonOf('text')).toBe('text');
  });

  it.each([
    ['no prototype', Object.create(null)],
    [
      'a text that throws',
      {
        toString: () => {
          throw new Error('no');
        },
      },
    ],
    [
      'a message that throws',
      Object.defineProperty(Object.create(null), 'message', {
        get: () => {
          throw new Error('no');
        },
      }),
    ],
  ])('with %s has a text all the same', (_what, thrown) => {
    expect([errorText(thrown), reasonOf(thrown), asError(thrown).message]).toEqual(
      Array(3).fill('what was thrown has no text'),
    );
  });

  it('is what was thrown, where that is none', () => {
    const thrown = new TypeError('mine');
    expect(asError(thrown)).toBe(thrown);
    expect(asError({ message: 5, name: 'Odd' })).toEqual(new Error('Odd'));
    expect(asError('text')).toEqual(new Error('text'));
  });

  it('of a report does not reach the work', () => {
    ignoreErrors(() => {
      throw new Error('the log is full');
    });
  });
});
