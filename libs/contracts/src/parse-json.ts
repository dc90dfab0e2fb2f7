/**
 * Skips a byte order mark (RFC 8259, section 8.1), which some servers send: an unreadable answer would leave the operation in doubt.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
}
