import { quarantineOptions } from './quarantine-command.js';

const NOW = Date.parse('2028-01-31T12:00:00Z');
const options = (...args: string[]) => quarantineOptions(args, NOW);

it('reads command and options', () => {
  expect(options('list')).toEqual({ command: 'list', json: false, dryRun: false });
  expect(options('reverify', '--merchant', 'shop-fr', '--json', '--dry-run', '--since', '24h')).toEqual({
    command: 'reverify',
    json: true,
    dryRun: true,
    merchant: 'shop-fr',
    since: '2028-01-30T12:00:00.000Z',
  });
});

it.each([
  ['90m', '2028-01-31T10:30:00.000Z'],
  ['7d', '2028-01-24T12:00:00.000Z'],
  ['2028-01-01', '2028-01-01T00:00:00.000Z'],
  ['2028-01-01T10:00:00+01:00', '2028-01-01T09:00:00.000Z'],
])('--since %s', (text, since) => expect(options('list', '--since', text).since).toBe(since));

it.each([
  [[], 'what shall be done?'],
  [['show'], 'there is no show'],
  [['list', 'all'], 'all is too much'],
  [['list', '--dry-run'], '--dry-run belongs to reverify'],
  [['list', '--since', 'yesterday'], 'neither a date'],
  [['list', '--since', '2028-02-31T99:00:00Z'], 'neither a date'],
  [['list', '--since', '2027-02-31'], 'neither a date'],
  [['list', '--since', '2028-01-01T10:00'], 'neither a date'],
  [['list', '--what'], '--what'],
])('refuses %j', (args, reason) => expect(() => options(...args)).toThrow(reason));
