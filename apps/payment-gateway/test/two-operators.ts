import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orderKey } from '@tranche/contracts';
import { journalPartition } from '@tranche/order-journal';
import { operatorKey, type RunningApp } from '@tranche/testing';

type OperatorName = 'alice' | 'bob';

/** Writes an OPERATORS_FILE with two people, each an approver. */
export function operatorsFile(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'operators-')), 'operators.json');
  const operators = (['alice', 'bob'] as const).map((operator) => ({
    operator,
    key: operatorKey(operator),
    role: 'approver',
  }));
  writeFileSync(file, JSON.stringify(operators));
  return file;
}

/** Sends a request of one of them to the operators' API about the journal; a POST where there is a body. */
export const askAboutJournal = <T>(gateway: RunningApp, operator: OperatorName, path: string, body?: object) =>
  askOperators<T>(gateway, operator, `journal/${path}`, body);

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

/** An order id of shop-fr in this journal partition. */
export const neighbourIn = (partition: number): string => orderIn(partition, 'neighbour');

/** The same, with `beginning` as its first part. */
export const orderIn = (partition: number, beginning: string): string =>
  Array.from({ length: 200 }, (_, number) => `${beginning}-${number}`).find(
    (name) => journalPartition(orderKey('shop-fr', name)) === partition,
  )!;
