const HIGH_SURROGATE = /[\ud800-\udbff][\udc00-\udfff]/g;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The interface's lengths count characters: we count Unicode code points, as JSON Schema does. */
export function codePoints(text: string): number {
  const pairs = text.match(HIGH_SURROGATE);
  return pairs === null ? text.length : text.length - pairs.length;
}

/** False for half of a surrogate pair: it has no UTF-8 form, so two such texts could become the same bytes. */
export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}
