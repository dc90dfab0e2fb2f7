/** A received pair whose bytes are not UTF-8, one character per byte (`latin1`), because HASH covers bytes. */
interface SentBytes {
  readonly name: string;
  readonly value: string;
  /** Charset that the sender declared and that decoded the text; absent if none usable was declared. */
  readonly charset?: string;
}

export type Parameter = readonly [name: string, value: string, sent?: SentBytes];
/** Parameters by flat name (`CART[0][PRICE]`), in the order written or received. */
export type Parameters = readonly Parameter[];

/**
 * Matches `ORDERID`, `CART[0][NAME]`, `CUSTOM FIELD`, `PRÉNOM`. A name must not contain `=`: the signed text joins name and value by `=`,
 * so `A` = `b=c` and `A=b` = `c` would have the same HASH. Unclosed brackets, invisible characters and outer spaces are refused too.
 */
const NAME = /^(?!\s)[^=[\]\p{Cc}\p{Cf}\p{Cs}]{1,128}(?<!\s)(?:\[[^=[\]\p{Cc}\p{Cf}\p{Cs}]{0,128}\]){0,8}$/u;

export function isName(text: string): boolean {
  return NAME.test(text);
}

/** Encodes `method=…&params[NAME]=…`; `CART[0][PRICE]` becomes `params[CART][0][PRICE]` (interface, Payment platform operations). */
export function encodeForm(formMethod: string, parameters: Parameters): string {
  let form = `method=${formMethod}`;
  for (const [name, value] of parameters) form += `&${formName(name)}=${escape(value)}`;
  return form;
}

/** Cache of encoded names; bounded by the interface's names times the longest cart. */
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

/** Escapes as `application/x-www-form-urlencoded` requires (WHATWG URL); most values need no escape. */
function escape(text: string): string {
  return /^[A-Za-z0-9*._-]*$/.test(text) ? text : new URLSearchParams([['', text]]).toString().slice(1);
}
