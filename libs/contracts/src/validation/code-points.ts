const HIGH_SURROGATE = /[\ud800-\udbff][\udc00-\udfff]/g;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The interface limits characters. We count Unicode code points, as JSON Schema does. */
export function codePoints(text: string): number {
  const pairs = text.match(HIGH_SURROGATE);
  return pairs === null ? text.length : text.length - pairs.length;
}

/** False for lone surrogates. They have no UTF-8 form, so two different texts could become the same bytes. */
export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}

/** Marks and everything that may compose: texts below U+0300 are composed already. */
const MAY_COMPOSE = /[^\0-\u02ff]/;

/** Unicode's composed form (NFC), in which a letter with its accent is one character. */
export function composed(text: string): string {
  return MAY_COMPOSE.test(text) ? text.normalize('NFC') : text;
}
