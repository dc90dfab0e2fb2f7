import type { OperationKind } from './message-types.js';

/** Maximum length of EXTRADATA in code points (interface, Transaction). */
export const EXTRADATA_CHARACTERS = 255;

/** Maximum length of `|tr1.OPERATION.ATTEMPT`, which the gateway appends to the caller's value (docs/decisions/0006). */
const EXTRADATA_TAG_CHARACTERS = '|tr1.'.length + 12 + '.999999'.length;

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

/**
 * A value that the platform sent: blanks around it are no part of it. ORDERID and EXTRADATA are the shop's own texts, which may begin and end
 * with blanks, so they stay; only behind our tag nothing of the shop's can follow.
 */
export function sentValue(name: string, text: string): string {
  const trimmed = text.trim();
  if (name !== 'ORDERID' && name !== 'EXTRADATA') return trimmed;
  return name === 'EXTRADATA' && EXTRADATA_TAG.test(trimmed) ? text.trimEnd() : text;
}

/**
 * REDIRECT_URL is fixed per account and no request parameter takes a URL. So the name of the page to which the cardholder returns follows
 * the caller's EXTRADATA, before our tag, and returns with the signed redirect: `CALLER|rp1.NAME|tr1.OPERATION.ATTEMPT`.
 */
const MARK = /(^|\|)rp1\.([a-z0-9-]{1,32})(?=$|\|tr1\.[A-Za-z0-9_-]{12}\.[1-9][0-9]{0,5}$)/;

export function withReturnPage(extraData: string | undefined, page: string | undefined): string | undefined {
  if (page === undefined) return extraData;
  return extraData === undefined ? `rp1.${page}` : `${extraData}|rp1.${page}`;
}

export function hasRoomForReturnPage(extraData: string | undefined, page: string): boolean {
  return [...(withReturnPage(extraData, page) ?? '')].length <= EXTRADATA_BESIDE_TAG;
}

export function returnPageIn(extraData: string | undefined): string | undefined {
  return MARK.exec(extraData ?? '')?.[2];
}

/** Undefined if nothing is left. */
export function withoutReturnPage(extraData: string | undefined): string | undefined {
  const match = MARK.exec(extraData ?? '');
  if (extraData === undefined || match === null) return extraData;
  const rest = extraData.slice(match.index + match[0].length);
  const before = extraData.slice(0, match.index);
  return (before === '' ? rest.replace(/^\|/, '') : before + rest) || undefined;
}

/** True for a caller's value whose end would be read back as our tag or as the name of a return page. */
export const endsLikeOurs = (extraData: string): boolean =>
  EXTRADATA_TAG.test(extraData) || returnPageIn(extraData) !== undefined;
