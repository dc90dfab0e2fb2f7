import type { ProfileName } from './profile.js';

/** A world that showed a fault, of ours or planted. Add one for every fault that is found, with the promise that it broke. */
export const FOUND_SEEDS: readonly { seed: number; profile: ProfileName; promise: string }[] = [
  {
    seed: 20,
    profile: 'moves',
    promise: 'an index that was put back to an older copy is brought up without new records',
  },
  { seed: 108, profile: 'moves', promise: 'a partition is given back once the events of its last calls are published' },
  { seed: 289, profile: 'moves', promise: 'a partition is given back once its calls have ended' },
  { seed: 44, profile: 'moves', promise: 'memory from before a new placement grants nothing' },
  { seed: 12, profile: 'moves', promise: 'a state of the index that is older than memory grants nothing' },
  { seed: 59, profile: 'moves', promise: 'a replaced owner that wakes up does not set the index back' },
  { seed: 22, profile: 'moves', promise: 'an index that is behind the commit is restored from the journal' },
  { seed: 8, profile: 'moves', promise: 'an owner that is killed before its commit leaves no event unpublished' },
  { seed: 65, profile: 'edges', promise: 'an index that is older than the first kept record is rebuilt' },
  {
    seed: 531,
    profile: 'edges',
    promise: 'a void by hand that is reported after a late success may have cancelled it',
  },
  ...[5554867, 31416117].map((seed) => ({
    seed,
    profile: 'moves' as const,
    promise: 'a drained owner begins no batch for a notification that comes while it commits',
  })),
  ...[5550211, 27183727].map((seed) => ({
    seed,
    profile: 'moves' as const,
    promise: 'a drained owner begins no batch for a repeat that its last handler appended',
  })),
  {
    seed: 77177,
    profile: 'edges',
    promise: 'an attempt that was denied is in doubt again as soon as the next one turns out to be unsent',
  },
  { seed: 5559808, profile: 'edges', promise: 'an order whose payment somebody voided by hand may be paid again' },
  ...[31418507, 31424659, 16182999].map((seed) => ({
    seed,
    profile: 'edges' as const,
    promise: 'a rebuilt index is read on behind what was rebuilt, though an older copy is put back at once',
  })),
  {
    seed: 31416758,
    profile: 'anew',
    promise:
      'an operation under way at a loss, whose command was finished, ends with a report that it was not executed',
  },
  { seed: 31419381, profile: 'anew', promise: 'a resume begins when what stopped gateways had sent has arrived' },
  {
    seed: 71002009,
    profile: 'edges',
    promise: 'an owner whose successor published what retention then deleted does not stop the partition',
  },
  ...[106878912, 106878771].map((seed) => ({
    seed,
    profile: 'edges' as const,
    promise: 'a process that stood still while retention cut the log places anew, and is not stopped',
  })),
  { seed: 1, profile: 'joins', promise: 'an index is rebuilt though the group is joined more often than that takes' },
  { seed: 1, profile: 'broken', promise: 'every owner stops at a record that can not be read, until it is skipped' },
  {
    seed: 36,
    profile: 'stale',
    promise: 'people who looked before a record of the order came end nothing by what they say',
  },
  {
    seed: 115511379,
    profile: 'edges',
    promise: 'a capture of a payment whose success nobody has heard of is judged by the platform',
  },
  { seed: 82029145, profile: 'losses', promise: 'a page is kept for a day by the date of the gateways' },
  {
    seed: 661233146,
    profile: 'stale',
    promise: 'a page is kept for a day by the date of the gateways, not of the records',
  },
  { seed: 268486421, profile: 'days', promise: 'a redirect that is told again after days has no page any more' },
  {
    seed: 311002837,
    profile: 'anew',
    promise: 'a success that was reported of an attempt whose INTENT was lost counts once a resume wrote it',
  },
  {
    seed: 742007015,
    profile: 'anew',
    promise: 'nothing is appended to a log before its last known record was compared, also where it has no other one',
  },
  {
    seed: 742008060,
    profile: 'anew',
    promise: 'a call whose INTENT was lost, and whose answer was not, is not made once more',
  },
  {
    seed: 852005774,
    profile: 'settled',
    promise: 'people settle a conflict once its operation has ended, if it ever does',
  },
  {
    seed: 311001796,
    profile: 'anew',
    promise: 'an index of another log, whose state lacks a record that its marker covers, stops the partition',
  },
  {
    seed: 311008352,
    profile: 'days',
    promise: 'timers go on after a commit that arrived late has set the group of the notifications back',
  },
  {
    seed: 311000023,
    profile: 'broken',
    promise: 'a record that can not be read is named by the next owner too, where the partition changes hands',
  },
];
