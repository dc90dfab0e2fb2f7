import { codeWantedBy, codeWantedByCard, refusal } from './exec-codes.js';

describe('codeWantedBy', () => {
  it.each([
    [24_001, '4001'],
    [4001, '4001'],
    [16_001, '6001'],
    [25_004, '5004'],
    [30_000, undefined],
    [200_001, undefined],
    [150_002, undefined],
    [100_003, undefined],
    [100_004, undefined],
    [21_000, undefined],
    [24_018, undefined],
    [401, undefined],
  ])('%i → %s', (amount, code) => {
    expect(codeWantedBy(amount)).toBe(code);
  });
});

describe('codeWantedByCard', () => {
  it.each([
    ['4111111111111111', undefined],
    ['4111111111110000', undefined],
    ['4111111111110001', '0001'],
    ['4111111111110002', undefined],
    ['4111111111110004', '0004'],
    ['4111111111114003', '4003'],
  ])('%s → %s', (card, code) => {
    expect(codeWantedByCard(card)).toBe(code);
  });
});

describe('refusal', () => {
  it('names the parameter [Errors.EXECCODE]', () => {
    expect(refusal('1001', 'ORDERID')).toEqual({ execCode: '1001', message: 'A parameter is missing: ORDERID' });
    expect(refusal('2017').message).toContain('not available');
  });
});
