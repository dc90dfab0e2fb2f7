import { realmUnknown } from './token-api-problems.js';

/**
 * Reads the answer to GET /iam/realms/my, whose shape is "not shown" in the interface: a JSON object whose `path` is a slash and up to
 * 1,023 visible ASCII characters (docs/decisions/0011). Other fields are ignored; other shapes are refused rather than guessed.
 * @throws Problem 502 `realm_unknown`
 */
export function readRealmPath(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw realmUnknown('its answer is not a JSON object');
  const { path } = answer as { path?: unknown };
  if (typeof path !== 'string') throw realmUnknown('its answer has no text `path`');
  if (!/^\/[\x21-\x7e]{0,1023}$/.test(path))
    throw realmUnknown('its `path` is not a slash and up to 1,023 visible characters');
  return path;
}
