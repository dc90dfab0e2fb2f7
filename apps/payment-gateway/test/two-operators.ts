import { operatorKey, type RunningApp } from '@tranche/testing';

type OperatorName = 'alice' | 'bob';

/** Sends a request of one of them to the operators' API; a POST where there is a body. */
export async function askOperators<T>(gateway: RunningApp, operator: OperatorName, path: string, body?: object) {
  const response = await fetch(`${gateway.managementUrl}/v1/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${operatorKey(operator)}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: (await response.json()) as T };
}
