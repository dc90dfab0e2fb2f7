import { errorText, ignoreErrors, reasonOf } from './error-text.js';

describe('an error', () => {
  it("finds the reason in Node's connection errors", () => {
    const refused = Object.assign(new Error(''), { code: 'ECONNREFUSED' });
    expect(reasonOf(new AggregateError([refused, refused]))).toBe('ECONNREFUSED');
    expect(reasonOf(new TypeError(''))).toBe('TypeError');
    expect(reasonOf('text')).toBe('text');
  });

  it('without a text has one all the same', () =>
    expect(errorText(Object.create(null))).toBe('what was thrown has no text'));

  it('of a report does not reach the work', () => {
    ignoreErrors(() => {
      throw new Error('the log is full');
    });
  });
});
