import { Faults, matches, readFaultRule, seededRandom } from './faults.js';

describe('readFaultRule', () => {
  it('knows short forms', () => {
    expect(readFaultRule({ fault: { timeout: true, notification: 'none' } })).toEqual({
      match: {},
      fault: { timeout: 'after', notification: { none: true } },
    });
  });

  it('knows hang as another name of timeout', () => {
    const rule = {
      fault: { hang: 'before', garbage: true, emptyAnswer: 'before', notification: { forgedHash: 'also' } },
    };
    expect(readFaultRule(rule)).toEqual({
      match: {},
      fault: { timeout: 'before', garbage: 'after', emptyAnswer: 'before', notification: { forgedHash: 'also' } },
    });
  });

  it.each([
    ['status3xx', 302, true],
    ['status3xx', 400, false],
    ['status4xx', 399, false],
    ['status4xx', 499, true],
    ['status5xx', 600, false],
  ])('%s may be %i: %s', (name, status, isRule) => {
    expect('fault' in readFaultRule({ fault: { [name]: { when: 'after', status } } })).toBe(isRule);
  });

  it('names every wrong field at once', () => {
    const rule = readFaultRule({
      match: { operation: 1, probability: 2, what: 1 },
      fault: { latencyMs: -1, status5xx: { when: 'never', status: 200 }, execCode: '7777' },
      extra: 1,
    });
    expect(rule).toEqual({
      wrong: [
        'extra',
        'match.operation',
        'match.probability',
        'match.what',
        'fault.latencyMs',
        'fault.status5xx',
        'fault.execCode',
      ],
    });
    expect(readFaultRule({ match: {} })).toEqual({ wrong: ['fault.(must be an object)'] });
    expect(readFaultRule('x')).toEqual({ wrong: ['the body must be a JSON object'] });
  });
});

describe('matches', () => {
  const subject = { operation: 'capture', orderId: 'order-1', merchant: 'shop', identifier: 'Shop' };
  it.each([
    [{}, true],
    [{ operation: 'capture', orderPrefix: 'order-', merchant: 'shop' }, true],
    [{ merchant: 'Shop' }, true],
    [{ operation: 'refund' }, false],
    [{ orderPrefix: 'order-2' }, false],
    [{ merchant: 'other' }, false],
  ])('%j → %s', (match, expected) => {
    expect(matches(match, subject)).toBe(expected);
  });
});

describe('Faults', () => {
  it('strikes a number of times, calls and notifications apart', () => {
    const faults = new Faults();
    faults.add({ match: { times: 1 }, fault: { dropBefore: true, notification: { none: true } } });
    const subject = { operation: 'capture' };
    expect([faults.ofCall(subject) !== undefined, faults.ofCall(subject) !== undefined]).toEqual([true, false]);
    expect([faults.ofNotification(subject) !== undefined, faults.ofNotification(subject) !== undefined]).toEqual([
      true,
      false,
    ]);
  });

  it('before the body is read only resetWhileReading rules without a match on the body apply', () => {
    const faults = new Faults();
    faults.add({ match: {}, fault: { dropBefore: true } });
    faults.add({ match: { orderPrefix: 'order-' }, fault: { resetWhileReading: true } });
    expect(faults.strikesUnread()).toBe(false);
    faults.add({ match: { times: 1 }, fault: { resetWhileReading: true } });
    expect([faults.strikesUnread(), faults.strikesUnread()]).toEqual([true, false]);
    expect(faults.ofCall({ operation: 'capture' })).toEqual({ dropBefore: true });
  });

  it('strikes with a probability, the same way for the same seed', () => {
    const strikesOf = (seed: number) => {
      const faults = new Faults();
      faults.add({ match: { probability: 0.3, seed }, fault: { dropBefore: true } });
      return Array.from({ length: 1000 }, () => faults.ofCall({ operation: 'x' }) !== undefined);
    };
    expect(strikesOf(7)).toEqual(strikesOf(7));
    expect(strikesOf(7)).not.toEqual(strikesOf(8));
    const share = strikesOf(7).filter(Boolean).length;
    expect(share).toBeGreaterThan(250);
    expect(share).toBeLessThan(350);
  });
});

it('seededRandom stays within [0, 1)', () => {
  const random = seededRandom(42);
  const drawn = Array.from({ length: 1000 }, random);
  expect(drawn.every((number) => number >= 0 && number < 1)).toBe(true);
  expect(new Set(drawn).size).toBeGreaterThan(990);
});
