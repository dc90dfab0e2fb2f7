/**
 * Parses the JSON of an answer and skips a byte order mark (allowed by RFC 8259, section 8.1). Some servers send one, and an answer that
 * we could not read would leave the operation in doubt.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
}
