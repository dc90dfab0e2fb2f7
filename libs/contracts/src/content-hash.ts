import { hash } from 'node:crypto';
import { composed } from './validation/code-points.js';

/**
 * 27 characters of base64url, equal for equal type and data in any order of fields and in any form of Unicode: tells if two commands with
 * one id are the same.
 */
export function contentHash(type: string, data: unknown): string {
  return hash('sha256', `${type}\n${canonical(data)}`, 'base64url').slice(0, 27);
}

function canonical(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(composed(value));
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = value as Record<string, unknown>;
  let text = '{';
  for (const name of Object.keys(fields).sort()) {
    // JSON.stringify leaves the field out too.
    if (fields[name] === undefined) continue;
    text += `${text === '{' ? '' : ','}${JSON.stringify(name)}:${canonical(fields[name])}`;
  }
  return `${text}}`;
}
