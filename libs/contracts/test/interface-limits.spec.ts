import { commandClass, PAYMENT_CLASSES, validateCommandData, type CommandRules, type FaultCode } from '../src/index.js';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { LIMITS, shown, withField } from './limits.js';

it('has the limits of each class that begins a payment', () => {
  expect(LIMITS.map(({ schema }) => schema)).toEqual(expect.arrayContaining(Object.keys(PAYMENT_CLASSES)));
});

describe.each(LIMITS)('$message', ({ rail, type, valid, limits }) => {
  const check = (message: object, rules?: CommandRules) =>
    validateCommandData(rail, type, message, rules).faults.map(({ path, code }) => ({ path, code }));
  const byClassValidator = (message: object) => {
    const messageClass = commandClass(rail, type);
    if (messageClass === undefined) throw new Error('no class');
    return (
      validateSync(plainToInstance(messageClass, message), { whitelist: true, forbidNonWhitelisted: true }).length === 0
    );
  };

  it('accepts the valid message', () => {
    expect(check(valid())).toEqual([]);
    expect(byClassValidator(valid())).toBe(true);
  });

  describe.each(limits)('$field ($ours)', ({ ours, isRequired, accepted, refused }) => {
    for (const value of accepted) {
      it(`accepts ${shown(value)}`, () => {
        const message = withField(valid(), ours, value);
        expect(check(message)).toEqual([]);
        expect(byClassValidator(message)).toBe(true);
      });
    }

    const refusals = Object.entries(refused).flatMap(([code, values]) =>
      (values ?? []).map((value) => [code, shown(value), value] as const),
    );
    it.each(refusals)('refuses as %s: %s', (code, _name, value) => {
      const message = withField(valid(), ours, value);
      const faults = check(message);
      expect(faults.some((fault) => fault.path.startsWith(ours) && fault.code === (code as FaultCode))).toBe(true);
      expect(faults.every((fault) => fault.path.startsWith(ours))).toBe(true);
      expect(byClassValidator(message)).toBe(false);
    });

    const absent = withField(valid(), ours, undefined);
    const required = [{ path: ours, code: 'required' }];
    it(isRequired === true ? 'is required' : 'may be absent', () => {
      expect(check(absent)).toEqual(isRequired === true ? required : []);
      expect(byClassValidator(absent)).toBe(isRequired !== true);
    });
    it(isRequired ? 'is required of merchants with requirements all' : 'may be absent with requirements all', () => {
      expect(check(absent, { requirements: 'all' })).toEqual(isRequired ? required : []);
    });
  });
});
