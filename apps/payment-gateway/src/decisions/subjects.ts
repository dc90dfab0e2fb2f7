import type { ManualResolution } from '../operations/manual-resolution.js';

/** Resolution of a doubt for which one person is not enough. docs/decisions/0075. */
export interface ResolutionSubject {
  /** Operation id, as in its URL. */
  operation: string;
  merchant: string;
  orderId: string;
  commandId: string;
  resolution: ManualResolution;
  why: 'not_executed' | 'refused' | 'amount';
  /** `orderDigest` of the order that the proposer saw. The proposal is valid only while the order has this digest. */
  seen: string;
  /** State of the operation at the proposal. */
  was: string;
}

export interface Subjects {
  resolution: ResolutionSubject;
}

export type Kind = keyof Subjects;

const areTexts = (...texts: unknown[]) => texts.every((text) => typeof text === 'string' && text !== '');

const IS_WHOLE: { [K in Kind]: (subject: Partial<Subjects[K]>) => boolean } = {
  resolution: ({ operation, merchant, seen, resolution }) => areTexts(operation, merchant, seen, resolution?.outcome),
};

export const isKind = (kind: unknown): kind is Kind => typeof kind === 'string' && Object.hasOwn(IS_WHOLE, kind);

export function isWholeSubject(kind: Kind, subject: unknown): boolean {
  return typeof subject === 'object' && subject !== null && IS_WHOLE[kind](subject);
}
