export type Parameters = readonly (readonly [name: string, value: string])[];

/** Why a request can't be a notification: nothing of it was looked at further. */
export interface Unreadable {
  unreadable: string;
}

export const MAX_PARAMETERS = 100;

/** Query of a GET, or an urlencoded body. Names stay as they are: `A[B]` is a name, nothing is nested. */
export function parametersOfForm(text: string): Parameters | Unreadable {
  return checked([...new URLSearchParams(text)]);
}

/** A flat JSON object of texts. JSON.parse would keep the last of two equal names in silence, so names are counted. */
export function parametersOfJson(text: string): Parameters | Unreadable {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { unreadable: 'the body is not JSON' };
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return { unreadable: 'the body must be a JSON object' };
  const entries = Object.entries(parsed);
  if (!entries.every((entry): entry is [string, string] => typeof entry[1] === 'string'))
    return { unreadable: 'every value must be a text' };
  const members = (text.match(/"(?:[^"\\]|\\.)*"|:/g) ?? []).filter((token) => token === ':').length;
  return members === entries.length ? checked(entries) : { unreadable: 'a parameter came twice' };
}

/** Flat, each name once, and no more of them than a notification ever has. */
export function checked(parameters: Parameters): Parameters | Unreadable {
  if (parameters.length === 0) return { unreadable: 'no parameters were sent' };
  if (parameters.length > MAX_PARAMETERS) return { unreadable: `more than ${MAX_PARAMETERS} parameters` };
  if (new Set(parameters.map(([name]) => name)).size < parameters.length) return { unreadable: 'a parameter came twice' };
  return parameters;
}
