import { money, printRows, relative, tableText, type Format } from './output.js';
import { Progress } from './progress.js';

const rows = [
  { id: '=1+1', text: 'a "b", c', amount: 250 },
  { id: 'x\u001b[31m', text: '-', amount: -1 },
];
const columns = [
  { name: 'id', of: (row: (typeof rows)[number]) => row.id },
  { name: 'text', of: (row: (typeof rows)[number]) => row.text },
  { name: 'amount', of: (row: (typeof rows)[number]) => row.amount },
];

function printed(format: Format): string {
  const log = jest.spyOn(console, 'log').mockImplementation(() => undefined);
  printRows(format, columns, rows);
  const lines = log.mock.calls.map(([line]) => String(line));
  log.mockRestore();
  return lines.join('\n');
}

it('a table has a column for each, and no control character', () => {
  expect(printed('table')).toBe(
    'id           text      amount\n=1+1         a "b", c  250\nx\\u001b[31m  -         -1',
  );
});

it('CSV is quoted, and no text begins like a formula', () => {
  expect(printed('csv')).toBe('id,text,amount\n\'=1+1,"a ""b"", c",250\nx\\u001b[31m,\'-,-1');
});

it('JSON has everything, JSONL one line each', () => {
  expect(JSON.parse(printed('json'))).toEqual(rows);
  expect(printed('jsonl').split('\n').map((line) => JSON.parse(line) as unknown)).toEqual(rows); // prettier-ignore
});

it('an empty table has no text', () => expect(tableText([])).toBe(''));

it.each([
  [25_000, 'EUR', '250.00 EUR'],
  [25_000, 'JPY', '25000 JPY'],
  [25_000, undefined, '25000 minor units'],
  [null, 'EUR', undefined],
])('%s of %s is %s', (amount, currency, text) => expect(money(amount, currency)).toBe(text));

it.each([
  ['2027-03-01T09:57:00.000Z', '3m ago'],
  ['2027-03-03T11:00:00.000Z', 'in 2d'],
  ['2027-03-01T10:00:00.000Z', 'in 0s'],
  ['no time', 'no time'],
])('%s is %s', (time, text) => expect(relative(time, Date.parse('2027-03-01T10:00:00.000Z'))).toBe(text));

it.each([
  ['on a terminal: one line that changes', true, ['\r\u001b[2K1', '\r\u001b[2K3', '\r\u001b[2K']],
  ['elsewhere: a line now and then', false, ['1\n', '3\n']],
])('progress %s', (_, isTTY, expected) => {
  let nowMs = 0;
  const written: string[] = [];
  const write = (text: string | Uint8Array) => written.push(String(text)) > 0;
  const progress = new Progress({ isTTY, write }, () => nowMs);
  progress.say('1');
  progress.say('2');
  nowMs = isTTY ? 200 : 10_000;
  progress.say('3');
  progress.end();
  expect(written).toEqual(expected);
});
