import { EXTRADATA_BESIDE_TAG, EXTRADATA_TAG } from './extra-data.js';

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
