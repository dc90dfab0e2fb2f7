import { holdsHiddenCardData, parseOrderKey, orderKey, type AuditRecord, type AuditResult } from '@tranche/contracts';
import { compact } from '@tranche/order-journal';
import { problemOf } from '@tranche/service-kit';
import { OUTCOMES } from '../manual-resolution.js';
import { parseOperationId } from '../operation-id.js';

export type About = Omit<AuditRecord, 'action' | 'result' | 'operator' | 'role' | 'code'>;

interface AuditedRequest {
  params?: unknown;
  query?: unknown;
  body?: unknown;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Extracts the subject of a request. Its values are not validated yet, so a value that does not have the form of such a name is left out. */
export function aboutRequest({ params, query, body }: AuditedRequest): About {
  const { id, merchant, orderId } = (params ?? {}) as Record<string, string | undefined>;
  const named = parseOperationId(id ?? '');
  const { outcome } = (body ?? {}) as { outcome?: unknown };
  const ofQuery = (query as { merchant?: unknown } | undefined)?.merchant;
  return compact({
    ...(named ? aboutOrder(named.merchant, named.orderId) : aboutOrder(merchant ?? ofQuery, orderId)),
    commandId: named && UUID.test(named.commandId) ? named.commandId : undefined,
    outcome: OUTCOMES.find((known) => known === outcome),
    proposal: id !== undefined && UUID.test(id) ? id : undefined,
  });
}

/** Extracts facts that only the answer has: the order of a proposal, the id of a new one. */
export function aboutAnswer(answer: unknown): About & { result: AuditResult } {
  const { id, operation, proposedBy, state } = (answer ?? {}) as Record<string, unknown>;
  const isProposal = proposedBy !== undefined && state === 'open';
  const name = [operation, id].map((one) => parseOperationId(typeof one === 'string' ? one : '')).find(Boolean);
  return compact({
    result: isProposal ? ('proposed' as const) : ('done' as const),
    ...(name ? aboutOrder(name.merchant, name.orderId) : {}),
    proposal: typeof id === 'string' && UUID.test(id) ? id : undefined,
  });
}

export function aboutError(error: unknown): { result: AuditResult; code: string } {
  const { status, code } = problemOf(error);
  return { result: status < 500 ? 'refused' : 'failed', code };
}

function aboutOrder(merchant: unknown, orderId: unknown): Pick<AuditRecord, 'merchant' | 'orderId'> {
  if (typeof merchant !== 'string' || parseOrderKey(orderKey(merchant, '1')) === undefined) return {};
  if (typeof orderId !== 'string' || holdsHiddenCardData(orderId)) return { merchant };
  return parseOrderKey(orderKey(merchant, orderId)) === undefined ? { merchant } : { merchant, orderId };
}
