import type { KeptLog } from '@tranche/order-journal';
import type { ManualResolution } from '../operations/manual-resolution.js';

/** Resolution of a doubt for which one person is not enough. docs/decisions/0076. */
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

/** Skip of a journal record that can't be read. docs/decisions/0055. */
export interface SkipSubject {
  partition: number;
  offset: string;
  /** `recordHash` of the record. Only a record with this hash is skipped, at any offset. */
  hash: string;
  reason: string;
}

/** Resume of a journal partition whose log was truncated or replaced, with the records that are kept. docs/decisions/0091. */
export interface ResumeSubject {
  partition: number;
  log: KeptLog;
  /** JOURNAL_EPOCH at the proposal. Sequences restart after a resume, so the next start needs a higher epoch. */
  epoch: number;
  reason: string;
}

export interface Subjects {
  resolution: ResolutionSubject;
  skip: SkipSubject;
  resume: ResumeSubject;
}

export type Kind = keyof Subjects;

/** Facts that are collected at the moment of an approval and stored with it. */
export interface ApprovalFacts {
  /** Required for a resume: end offsets of the command topics' partitions, in partition order, by topic name without prefix. */
  commandEnds?: Record<string, string[]>;
}

const areTexts = (...texts: unknown[]) => texts.every((text) => typeof text === 'string' && text !== '');

const IS_WHOLE: { [K in Kind]: (subject: Partial<Subjects[K]>) => boolean } = {
  resolution: ({ operation, merchant, seen, resolution }) => areTexts(operation, merchant, seen, resolution?.outcome),
  skip: ({ partition, offset, hash, reason }) => Number.isInteger(partition) && areTexts(offset, hash, reason),
  resume: ({ partition, epoch, log, reason }) =>
    Number.isInteger(partition) && Number.isInteger(epoch) && areTexts(log?.low, reason),
};

export const isKind = (kind: unknown): kind is Kind => typeof kind === 'string' && Object.hasOwn(IS_WHOLE, kind);

export function isWholeSubject(kind: Kind, subject: unknown): boolean {
  return typeof subject === 'object' && subject !== null && IS_WHOLE[kind](subject);
}

/** Validates the facts. Every command of the partition is compared with these offsets, so text that is not an offset would make each of them fail. */
export function areFactsOf(kind: Kind, { commandEnds }: ApprovalFacts): boolean {
  if (kind !== 'resume') return true;
  if (typeof commandEnds !== 'object' || commandEnds === null) return false;
  const isOffset = (offset: unknown) => typeof offset === 'string' && /^\d{1,19}$/.test(offset);
  return Object.values(commandEnds).every((ends) => Array.isArray(ends) && ends.every(isOffset));
}
