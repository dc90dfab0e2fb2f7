import { ErrorReply } from 'redis';
import { reasonOf } from '@tranche/runtime';

/**
 * Replies that no command of this connection gets past: the server became a replica, lost its master, is loading its data, or wants other
 * credentials. Old servers put the code of a script's error behind a hyphen.
 */
const UNUSABLE = /(?:^|-)(?:READONLY|MASTERDOWN|LOADING|UNBLOCKED|CLUSTERDOWN|NOAUTH|WRONGPASS)\b/;
const CREDENTIALS = /(?:^|-)(?:NOAUTH|WRONGPASS)\b/;
const CORRECT_CREDENTIALS =
  'Correct the user and the password in REDIS_URL and restart the service, or in the file of REDIS_URL_FILE, which is read before each attempt';

/** Whether a connection that got this reply must be made anew. */
export function isUnusable(error: unknown): error is ErrorReply {
  return error instanceof ErrorReply && UNUSABLE.test(error.message);
}

/** The reason, and where the credentials are refused which setting to change. */
export function whyAway(error: unknown): string {
  const reason = reasonOf(error);
  return CREDENTIALS.test(reason) ? `${reason.replace(/\.?$/, '.')} ${CORRECT_CREDENTIALS}` : reason;
}

/**
 * Asks whether the server takes writes. PING is refused while data are loading, and by a replica without a master. Resolves to the reason
 * where this user may not ask for the role. @throws where the server is no master, or its reply is one of those above.
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
