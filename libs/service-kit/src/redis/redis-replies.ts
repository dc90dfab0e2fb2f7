import { ErrorReply } from 'redis';
import { reasonOf } from '@tranche/runtime';

/**
 * Replies after which this connection is useless: the server became a replica, lost its master, is loading its data, or requires other
 * credentials. Old servers put a hyphen before the code of a script's error.
 */
const UNUSABLE = /(?:^|-)(?:READONLY|MASTERDOWN|LOADING|UNBLOCKED|CLUSTERDOWN|NOAUTH|WRONGPASS)\b/;
const CREDENTIALS = /(?:^|-)(?:NOAUTH|WRONGPASS)\b/;
const CORRECT_CREDENTIALS =
  'Correct the user and the password in REDIS_URL and restart the service, or in the file of REDIS_URL_FILE, which is read before each attempt';

export function isUnusable(error: unknown): error is ErrorReply {
  return error instanceof ErrorReply && UNUSABLE.test(error.message);
}

export function whyAway(error: unknown): string {
  const reason = reasonOf(error);
  return CREDENTIALS.test(reason) ? `${reason.replace(/\.?$/, '.')} ${CORRECT_CREDENTIALS}` : reason;
}

/**
 * Checks that the server takes writes. PING fails while data are loading, and on a replica without a master. Resolves with the reason if
 * this user may not run ROLE.
 * @throws if the server is no master, or its reply is unusable
 */
export async function assertMaster(send: (command: string[]) => Promise<unknown>): Promise<string | undefined> {
  const [role, ping] = await Promise.allSettled([send(['ROLE']), send(['PING'])]);
  for (const asked of [role, ping]) if (asked.status === 'rejected' && isUnusable(asked.reason)) throw asked.reason;
  if (role.status === 'rejected') return role.reason instanceof ErrorReply ? role.reason.message : undefined;
  const [name] = role.value as [unknown];
  if (name === 'sentinel') throw new Error('it is a sentinel: set REDIS_SENTINEL_NODES and REDIS_SENTINEL_MASTER');
  if (name === 'slave' || name === 'replica') throw new Error('it is a replica and takes no writes');
  return undefined;
}
