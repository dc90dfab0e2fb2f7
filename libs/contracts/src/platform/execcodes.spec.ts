import { EXECCODES, execCode, execCodeClass, isKnownExecCode, type ExecCodeClass } from './execcodes.js';

const TABLE: [ExecCodeClass, string[]][] = [
  ['succeeded', ['0000']],
  ['succeeded_partly', ['0004']],
  ['redirect_required', ['0001', '0002']],
  ['pending', ['0003']],
  [
    'refused',
    [
      ...['1001', '1002', '1003', '1004', '1005', '1006'],
      ...[
        '2001',
        '2002',
        '2003',
        '2004',
        '2005',
        '2007',
        '2008',
        '2009',
        '2010',
        '2011',
        '2012',
        '2013',
        '2014',
        '2015',
        '2016',
      ],
      ...['3001', '3002', '3003'],
      ...[
        '4001',
        '4002',
        '4003',
        '4004',
        '4005',
        '4006',
        '4007',
        '4008',
        '4009',
        '4010',
        '4011',
        '4012',
        '4013',
        '4014',
        '4015',
        '4016',
        '4017',
        '4020',
      ],
      ...['6001', '6002', '6003', '6004', '6005'],
    ],
  ],
  ['not_executed', ['2006', '2017', '3004', '5001', '5002', '5003', '5005']],
  ['in_doubt', ['5004']],
];

it.each(TABLE)('%s: %j', (codeClass, codes) => {
  expect(codes.map((code) => [code, execCodeClass(code)])).toEqual(codes.map((code) => [code, codeClass]));
});

it('knows these codes and no other [Transaction.EXECCODE] [Errors.other-codes]', () => {
  expect(Object.keys(EXECCODES).sort()).toEqual(TABLE.flatMap(([, codes]) => codes).sort());
});

it.each([
  ['refused', ['1999', '2999', '3999', '4018', '4999', '6006', '6999']],
  [
    'in_doubt',
    [
      '0005',
      '0999',
      '5000',
      '5006',
      '5999',
      '7000',
      '9999',
      '',
      '0',
      '000',
      '00000',
      '4',
      '40010',
      'abcd',
      '４００１',
      '4001 ',
      '__proto__',
      'constructor',
      'toString',
    ],
  ],
] as const)('an unknown code is %s: %j', (codeClass, codes) => {
  expect(codes.map((code) => [code, isKnownExecCode(code), execCodeClass(code)])).toEqual(
    codes.map((code) => [code, false, codeClass]),
  );
});

it.each([
  ['second_url', ['5001', '5003']],
  ['back_off', ['2006', '2017']],
  ['slow_down', ['3004']],
] as const)('retry %s: %j, and no other', (retry, codes) => {
  expect(
    Object.keys(EXECCODES)
      .filter((code) => execCode(code).retry === retry)
      .sort(),
  ).toEqual(codes);
});

it('only what was not executed is ever retried', () => {
  for (const code of Object.values(EXECCODES)) if (code.retry !== 'none') expect(code.class).toBe('not_executed');
});

it.each([
  ['maybeAlreadyDone', (code: string) => execCode(code).maybeAlreadyDone, ['2005', '2015', '2016', '4011']],
  ['retryAfterSeconds 300', (code: string) => execCode(code).retryAfterSeconds === 300, ['5002', '5005']],
] as const)('%s: exactly %j', (_name, is, codes) => {
  expect(
    Object.keys(EXECCODES)
      .filter((code) => is(code))
      .sort(),
  ).toEqual(codes);
});
