import type { OperationKind } from './message-types.js';

/** EXTRADATA holds 255 characters, code points (interface, Transaction). */
export const EXTRADATA_CHARACTERS = 255;

/** `|tr1.OPERATION.ATTEMPT`, which the gateway puts behind the caller's value (docs/decisions/0006), with the longest number of an attempt. */
export const EXTRADATA_TAG_CHARACTERS = '|tr1.'.length + 12 + '.999999'.length;

/** A longer value of the caller may leave no room for the tag. */
export const EXTRADATA_BESIDE_TAG = EXTRADATA_CHARACTERS - EXTRADATA_TAG_CHARACTERS;

/** The back office makes these too (docs/decisions/0020): a report of one that carries no tag may be about theirs. */
export const isMadeElsewhereToo = (kind: OperationKind): boolean =>
  kind === 'capture' || kind === 'refund' || kind === 'void';

/**
 * Whether notifications of such an operation may come back without its tag, because EXTRADATA leaves no room for it: once it is in doubt,
 * only an operator can resolve it.
 */
export function mayGoUntagged(kind: OperationKind, extraData: string | undefined): boolean {
  return isMadeElsewhereToo(kind) && [...(extraData ?? '')].length > EXTRADATA_BESIDE_TAG;
}
