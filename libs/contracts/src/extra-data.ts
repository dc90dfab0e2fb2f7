import type { OperationKind } from './message-types.js';

/** Maximum length of EXTRADATA in code points (interface, Transaction). */
export const EXTRADATA_CHARACTERS = 255;

/** Maximum length of `|tr1.OPERATION.ATTEMPT`, which the gateway appends to the caller's value (docs/decisions/0006). */
export const EXTRADATA_TAG_CHARACTERS = '|tr1.'.length + 12 + '.999999'.length;

/** Maximum length of a caller's value that always leaves room for the tag. */
export const EXTRADATA_BESIDE_TAG = EXTRADATA_CHARACTERS - EXTRADATA_TAG_CHARACTERS;

/** The merchant's back office can make these too (docs/decisions/0020), so a report of one without our tag may concern theirs. */
export const isMadeElsewhereToo = (kind: OperationKind): boolean =>
  kind === 'capture' || kind === 'refund' || kind === 'void';

/** True if EXTRADATA has no room for our tag. If such an operation is in doubt, only an operator can resolve it. */
export function mayGoUntagged(kind: OperationKind, extraData: string | undefined): boolean {
  return isMadeElsewhereToo(kind) && [...(extraData ?? '')].length > EXTRADATA_BESIDE_TAG;
}

/** Our tag at the end of EXTRADATA: separator, operation, attempt. */
export const EXTRADATA_TAG = /(^|\|)tr1\.([A-Za-z0-9_-]{12})\.([1-9][0-9]{0,5})$/;
