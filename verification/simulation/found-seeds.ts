import type { ProfileName } from './profile.js';

/** Worlds that showed a fault, of ours or planted, with the promise that it broke. Add one for every fault that is found. */
export const FOUND_SEEDS: Partial<Record<ProfileName, Readonly<Record<number, string>>>> = {
  moves: {
    8: 'an owner that is killed before its commit leaves no event unpublished',
    12: 'a state of the index that is older than memory grants nothing',
    20: 'an index that was put back to an older copy is brought up without new records',
    22: 'an index that is behind the commit is restored from the journal',
    44: 'memory from before a new placement grants nothing',
    59: 'a replaced owner that wakes up does not set the index back',
    108: 'a partition is given back once the events of its last calls are published',
    289: 'a partition is given back once its calls have ended',
  },
  edges: {
    65: 'an index that is older than the first kept record is rebuilt',
    531: 'a void by hand that is reported after a late success may have cancelled it',
    77177: 'an attempt that was denied is in doubt again as soon as the next one turns out to be unsent',
    106878771: 'a process that stood still while retention cut the log places anew, and is not stopped',
    106878912: 'a process that stood still while retention cut the log places anew, and is not stopped',
    1200002700: 'a refusal of the back office is taken for ours only where it has the EXECCODE of ours',
  },
  losses: { 82029145: 'a page is kept for a day by the date of the gateways' },
  anew: {
    311001796: 'an index of another log, whose state lacks a record that its marker covers, stops the partition',
    311002837: 'a success that was reported of an attempt whose INTENT was lost counts once a resume wrote it',
    742007015: 'nothing is appended to a log before its last known record was compared, also where it has no other one',
    742008060: 'a call whose INTENT was lost, and whose answer was not, is not made once more',
    1100002399: 'no resume leaves an operation between two attempts, where a report of the lost one came before it',
  },
  joins: { 1: 'an index is rebuilt though the group is joined more often than that takes' },
  broken: {
    1: 'every owner stops at a record that can not be read, until it is skipped',
    311000023: 'a record that can not be read is named by the next owner too, where the partition changes hands',
  },
  days: {
    268486421: 'a redirect that is told again after days has no page any more',
    311008352: 'timers go on after a commit that arrived late has set the group of the notifications back',
  },
  stale: {
    36: 'people who looked before a record of the order came end nothing by what they say',
    661233146: 'a page is kept for a day by the date of the gateways, not of the records',
  },
  settled: { 852005774: 'people settle a conflict once its operation has ended, if it ever does' },
};
