const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIMESTAMP =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** `YYYY-MM-DD` with a day that exists. */
export function isCalendarDate(text: string): boolean {
  return isDayOf(DATE.exec(text));
}

/** RFC 3339 with capital T and Z, and an offset. Leap seconds are refused, because JavaScript's Date has none. */
export function isTimestamp(text: string): boolean {
  return isDayOf(TIMESTAMP.exec(text));
}

export const TIMESTAMP_PATTERN = TIMESTAMP.source;

function isDayOf(parts: RegExpExecArray | null): boolean {
  if (parts === null) return false;
  const year = Number(parts[1]);
  const month = Number(parts[2]);
  const day = Number(parts[3]);
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const last = month === 2 && isLeapYear ? 29 : DAYS[month - 1];
  return last !== undefined && day >= 1 && day <= last;
}
