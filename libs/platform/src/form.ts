/**
 * A received pair as it was sent, where its bytes are not UTF-8: one character for each byte (`latin1` of Node.js). HASH covers bytes, and the
 * text cannot be written back without knowing the charset.
 */
export interface SentBytes {
  readonly name: string;
  readonly value: string;
  /** That the sender named and that its text was read by; absent where none was named that counts. */
  readonly charset?: string;
}

export type Parameter = readonly [name: string, value: string, sent?: SentBytes];
/** Parameters by their flat names (`CART[0][PRICE]`), as they were written or received. */
export type Parameters = readonly Parameter[];

/**
 * `ORDERID`, `CART[0][NAME]`, `CUSTOM FIELD`, `PRÉNOM`. Above all no `=`: the signed text holds `NAME=value` with nothing between the two,
 * so that `A` = `b=c` and `A=b` = `c` have the same HASH. Nor brackets that are not closed, characters that nobody sees, or space around it.
 */
const NAME = /^(?!\s)[^=[\]\p{Cc}\p{Cf}\p{Cs}]{1,128}(?<!\s)(?:\[[^=[\]\p{Cc}\p{Cf}\p{Cs}]{0,128}\]){0,8}$/u;

export function isName(text: string): boolean {
  return NAME.test(text);
}

/** `method=…&params[NAME]=…`, urlencoded; `CART[0][PRICE]` travels as `params[CART][0][PRICE]` (interface, Payment platform operations). */
export function encodeForm(formMethod: string, parameters: Parameters): string {
  let form = `method=${formMethod}`;
  for (const [name, value] of parameters) form += `&${formName(name)}=${escape(value)}`;
  return form;
}

/** Names as they travel: there are as many as the interface has, times the longest cart. */
const formNames = new Map<string, string>();

function formName(name: string): string {
  const known = formNames.get(name);
  if (known !== undefined) return known;
  const index = name.indexOf('[');
  const root = index < 0 ? name : name.slice(0, index);
  const travelling = escape(`params[${root}]${name.slice(root.length)}`);
  formNames.set(name, travelling);
  return travelling;
}

/** As `application/x-www-form-urlencoded` wants it (WHATWG URL); most values hold nothing to escape. */
function escape(text: string): string {
  return /^[A-Za-z0-9*._-]*$/.test(text) ? text : new URLSearchParams([['', text]]).toString().slice(1);
}
