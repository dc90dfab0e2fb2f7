import { orderKey, parseOrderKey } from '@tranche/contracts';

export interface OperationName {
  merchant: string;
  orderId: string;
  commandId: string;
}

/** base64url of the JSON list `["merchant","orderId","commandId"]`: one part of a URL, although orderId and commandId may hold slashes. */
export function operationIdOf({ merchant, orderId, commandId }: OperationName): string {
  return Buffer.from(JSON.stringify([merchant, orderId, commandId])).toString('base64url');
}

export function parseOperationId(id: string): OperationName | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(id, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts) || parts.length !== 3 || !parts.every((part) => typeof part === 'string')) return undefined;
  const [merchant, orderId, commandId] = parts as [string, string, string];
  const name = { merchant, orderId, commandId };
  const isOneOfOurs =
    parseOrderKey(orderKey(merchant, orderId))?.merchant === merchant && commandId !== '' && operationIdOf(name) === id;
  return isOneOfOurs ? name : undefined;
}
