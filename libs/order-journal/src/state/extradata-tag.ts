import { hash } from 'node:crypto';
import { codePoints, EXTRADATA_CHARACTERS, EXTRADATA_TAG } from '@tranche/contracts';

export interface ExtraDataTag {
  operation: string;
  attempt: number;
}

/** Names an operation within its order in 12 characters (72 bits). */
export function operationTag(commandId: string): string {
  return hash('sha256', commandId, 'base64url').slice(0, 12);
}

/**
 * The caller's EXTRADATA with our tag behind it: `CALLER|tr1.OPERATION.ATTEMPT` (R8).
 * Without room for both, the caller's value goes alone and evidence has no tag.
 */
export function tagExtraData(
  callers: string | undefined,
  commandId: string,
  attempt: number,
): { extraData: string; isTagged: boolean } {
  const tag = `tr1.${operationTag(commandId)}.${attempt}`;
  const tagged = callers === undefined ? tag : `${callers}|${tag}`;
  if (codePoints(tagged) <= EXTRADATA_CHARACTERS) return { extraData: tagged, isTagged: true };
  return { extraData: callers ?? '', isTagged: false };
}

/** Takes a returned EXTRADATA apart again; a value that we did not tag is the caller's as it stands. */
export function untagExtraData(extraData: string | undefined): { extraData?: string; tag?: ExtraDataTag } {
  if (extraData === undefined || extraData === '') return {};
  const match = EXTRADATA_TAG.exec(extraData);
  if (!match) return { extraData };
  const tag = { operation: match[2] ?? '', attempt: Number(match[3]) };
  return match[1] === '|' ? { extraData: extraData.slice(0, match.index), tag } : { tag };
}
