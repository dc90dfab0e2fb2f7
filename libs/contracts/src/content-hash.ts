import { hash } from 'node:crypto';
import { COMMAND_CLASSES } from './commands/validate-command.js';
import { fieldsOf } from './validation/check.js';
import { composed } from './validation/texts.js';
import type { MessageClass } from './validation/doc.js';

/**
 * 27 characters of base64url, equal for the same type and data in any order of fields. It shows whether two commands with one id are the
 * same. Texts that are composed before they are sent (NFC) are composed here, too. A number and a text of
 * the same digits (DISCOUNT, TAX) differ. `data` may be what was given or what was checked.
 */
export function contentHash(type: string, data: unknown): string {
  return hash('sha256', `${type}\n${canonical(data)}`, 'base64url').slice(0, 27);
}

const COMPOSED = new Set(COMMAND_CLASSES.flatMap(composedFieldsOf));

function composedFieldsOf(type: MessageClass): string[] {
  return fieldsOf(type).flatMap(({ name, nested, isComposed }) =>
    nested === undefined ? (isComposed ? [name] : []) : composedFieldsOf(nested),
  );
}

function canonical(value: unknown, name = ''): string {
  if (typeof value === 'string') return quoted(COMPOSED.has(name) ? composed(value) : value);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = value as Record<string, unknown>;
  let text = '';
  for (const name of Object.keys(fields).sort()) {
    // JSON.stringify leaves the field out too.
    if (fields[name] === undefined) continue;
    text += `${text === '' ? '' : ','}${quoted(name)}:${canonical(fields[name], name)}`;
  }
  return `{${text}}`;
}

const MAY_NEED_ESCAPES = /[^ !#-[\]-\ud7ff]/;

/** As JSON.stringify, which takes longer for the many short texts of a command. */
const quoted = (text: string): string => (MAY_NEED_ESCAPES.test(text) ? JSON.stringify(text) : `"${text}"`);

const TIME_ORDERED = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Creation time of a command id in milliseconds since the epoch, if the id is a UUID version 7 (RFC 9562); else undefined. */
export function commandIdTimeMs(id: string): number | undefined {
  return TIME_ORDERED.test(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined;
}
