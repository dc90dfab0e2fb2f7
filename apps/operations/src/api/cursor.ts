import { Problem } from '@tranche/service-kit';

/** The next page begins behind the last entry of the page before, which its sort fields name. */
const cursorOf = (place: readonly string[]): string => Buffer.from(JSON.stringify(place)).toString('base64url');

/** Rows of one page, and where the next one begins; `rows` has one more than the page if there is a next one. */
export function pageOf<T>(
  rows: readonly T[],
  limit: number,
  placeIn: (row: T) => string[],
): { page: T[]; next?: string } {
  const last = rows[limit - 1];
  const page = rows.slice(0, limit);
  return rows.length > limit && last !== undefined ? { page, next: cursorOf(placeIn(last)) } : { page };
}

/** @throws Problem 400 for a text that is no cursor with so many fields */
export function placeOf(cursor: string | undefined, fields: number): string[] | undefined {
  if (cursor === undefined) return undefined;
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    const isText = (one: unknown): one is string => typeof one === 'string' && !one.includes('\0');
    if (Array.isArray(place) && place.length === fields && place.every(isText)) return place;
  } catch {
    // It is no cursor, as below.
  }
  throw new Problem({
    status: 400,
    code: 'invalid_request',
    detail: 'Some fields are not as they must be, see faults.',
    faults: [{ path: 'cursor', code: 'format', message: 'must be the next of a page' }],
  });
}
