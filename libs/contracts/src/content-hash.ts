import { hash } from 'node:crypto';

/** Tells whether two commands with one id are the same: equal for equal content, whatever the order of its fields. */
export function contentHash(type: string, data: unknown): string {
  return hash('sha256', `${type}\n${canonical(data)}`, 'base64url').slice(0, 27);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = value as Record<string, unknown>;
  let text = '{';
  for (const name of Object.keys(fields).sort()) {
    // JSON leaves the field out.
    if (fields[name] === undefined) continue;
    text += `${text === '{' ? '' : ','}${JSON.stringify(name)}:${canonical(fields[name])}`;
  }
  return `${text}}`;
}
