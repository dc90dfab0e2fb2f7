import { railStopIn } from './rail-of-gateway.js';

const open = (rail: string, value: number) => `tranche_rail_breaker_open{rail="${rail}"} ${value}`;
const stopped = [
  open('card', 1),
  open('partner-a', 0),
  'tranche_rail_stopped_since_seconds{rail="card",cause="5001"} 1800000000.5',
  'tranche_rail_next_try_seconds{rail="card"} 1800000030',
].join('\n');

it.each([
  ['stopped', stopped, 'card', { cause: '5001', sinceMs: 1_800_000_000_500, nextTryMs: 1_800_000_030_000 }],
  ['running beside one that is stopped', stopped, 'partner-a', null],
  ['not known to what answers', 'up 1', 'card', undefined],
] as const)('a rail is %s', (_, metrics, rail, found) => {
  expect(railStopIn(metrics, rail)).toEqual(found);
});
