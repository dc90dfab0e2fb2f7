import { print, row, rounded } from './report.js';

const measured = { name: 'calls', unit: 'calls/s', ours: 950, peers: { loop: 1000, slow: 2 } };

it.each([
  [{ atLeast: 0.9, times: 'loop' }, 0.95, '≥ 0.9 × loop', true],
  [{ atLeast: 0.96, times: 'loop' }, 0.95, '≥ 0.96 × loop', false],
  [{ atMost: 0.95, times: 'loop' }, 0.95, '≤ 0.95 × loop', true],
  [{ atMost: 0.9, times: 'loop' }, 0.95, '≤ 0.9 × loop', false],
  [{ atLeast: 200, times: 'slow' }, 475, '≥ 200 × slow', true],
  [{ atLeast: 950 }, 1, '≥ 950 calls/s', true],
  [{ atLeast: 951 }, 0.999, '≥ 951 calls/s', false],
  [{ atMost: 949 }, 1, '≤ 949 calls/s', false],
  [undefined, null, null, true],
])('%j', (target, ratio, text, met) => {
  expect(row({ ...measured, target })).toMatchObject({ ratio, target: text, met });
});

it('is not met where the peer told nothing', () => {
  expect(row({ ...measured, target: { atLeast: 1, times: 'absent' } })).toMatchObject({ ratio: null, met: false });
});

it.each([
  [0.123_45, 0.123],
  [12.345, 12.3],
  [123.45, 123],
  [12_345.6, 12_346],
])('%d is shown as %d', (value, shown) => {
  expect(rounded(value)).toBe(shown);
});

it('prints a row and what else was seen of it', () => {
  const [table, log] = [
    jest.spyOn(console, 'table').mockImplementation(),
    jest.spyOn(console, 'log').mockImplementation(),
  ];
  print([row({ ...measured, target: { atLeast: 1000 }, details: { p99: 4.567 } })]);
  const cells = { ours: 950, unit: 'calls/s', peers: 'loop 1000, slow 2' };
  expect(table).toHaveBeenCalledWith({ calls: { ...cells, ratio: 0.95, target: '≥ 1000 calls/s', met: 'NO' } });
  expect(log).toHaveBeenCalledWith('calls: p99 4.57');
});
