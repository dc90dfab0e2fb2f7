const TIMEOUT_MS = 10_000;

export interface Question {
  method?: string;
  body?: object;
  headers?: Record<string, string>;
  timeoutMs?: number;
}

/** Sends a body as JSON; GET without one. */
export function sendJson(
  url: string,
  { body, method, headers, timeoutMs = TIMEOUT_MS }: Question = {},
): Promise<Response> {
  return fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  });
}

/** Resolves to the JSON of the answer. @throws with status and text if it is no success */
export async function ask<T>(url: string, question: Question = {}): Promise<T> {
  const answer = await sendJson(url, question);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${new URL(url).pathname}: ${answer.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
