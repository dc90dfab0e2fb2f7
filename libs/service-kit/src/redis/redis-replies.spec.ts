import { ErrorReply } from 'redis';
import { assertMaster, isUnusable, whyAway } from './redis-link.js';

const READONLY = "READONLY You can't write against a read only replica.";

/** A server with these answers to ROLE and PING. */
const server =
  (role: unknown, ping: unknown = 'PONG') =>
  ([command]: string[]) => {
    const answer = command === 'ROLE' ? role : ping;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };

it.each([
  [READONLY],
  ["ERR Error running script (call to f_6b): @user_script:1: -READONLY You can't write against a read only replica."],
  ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."],
  ['LOADING Redis is loading the dataset in memory'],
  ['UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)'],
  ['CLUSTERDOWN The cluster is down'],
  ['NOAUTH Authentication required.'],
  ['WRONGPASS invalid username-password pair or user is disabled.'],
])('a connection with this reply is made anew: %s', (message) =>
  expect(isUnusable(new ErrorReply(message))).toBe(true),
);

it.each([
  ['full', new ErrorReply('OOM command not allowed when used memory > maxmemory')],
  ['forbidden', new ErrorReply("NOPERM this user has no permissions to run the 'role' command")],
  ['of a script', new ErrorReply('ERR the text READONLY is in a value')],
  ['of no server', new Error(READONLY)],
])('a connection with another error is kept: %s', (_what, error) => expect(isUnusable(error)).toBe(false));

it.each([
  ['a replica', server(['slave', '10.0.0.1', 6379, 'connected', 14]), 'it is a replica and takes no writes'],
  ['a sentinel', server(['sentinel', ['index']]), 'set REDIS_SENTINEL_NODES'],
  ['one that loads its data', server(['master', 0, []], new ErrorReply('LOADING Redis is loading')), 'LOADING'],
])('no master: %s', (_what, send, reason) => expect(assertMaster(send)).rejects.toThrow(reason));

it.each([
  ['a master', server(['master', 0, []]), undefined],
  [
    'one whose disk is full, which is no reason to look for another',
    server(['master', 0, []], new ErrorReply('MISCONF')),
    undefined,
  ],
  ['one that does not tell this user its role', server(new ErrorReply('NOPERM no role')), 'NOPERM no role'],
])('usable: %s', (_what, send, reason) => expect(assertMaster(send)).resolves.toBe(reason));

it('says which setting holds the credentials that are refused', () => {
  expect(whyAway(new ErrorReply('WRONGPASS invalid username-password pair'))).toMatch(
    /pair\. Correct .* in REDIS_URL /,
  );
  expect(whyAway(new ErrorReply(READONLY))).toBe(READONLY);
});
