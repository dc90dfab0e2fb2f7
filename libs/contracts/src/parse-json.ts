/**
 * The JSON of an answer. A byte order mark in front of it is skipped (RFC 8259, section 8.1, allows that): some servers write one, and an answer that is not
 * read leaves in doubt what was done.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
}
