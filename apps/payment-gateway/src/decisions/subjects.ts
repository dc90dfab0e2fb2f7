import type { KeptLog } from '@tranche/order-journal';
import type { ManualResolution } from '../operations/manual-resolution.js';

/** A resolution of a doubt that one person is not enough for. docs/decisions/0076. */
export interface ResolutionSubject {
  /** Id of the operation, as in its address. */
  operation: string;
  merchant: string;
  orderId: string;
  commandId: string;
  resolution: ManualResolution;
  why: 'not_executed' | 'refused' | 'amount';
  /** `orderDigest` of the order that the proposer saw: the proposal counts for this very order only. */
  seen: string;
  /** State of the operation then. */
  was: string;
}

/** A journal record that can't be read, and is left out. docs/decisions/0055. */
export interface SkipSubject {
  partition: number;
  offset: string;
  /** `recordHash` of the record: only this very record is skipped, wherever it lies. */
  hash: string;
  reason: string;
}

/** A journal partition whose log was cut or replaced, and that goes on with what is kept. docs/decisions/0091. */
export interface ResumeSubject {
  partition: number;
  log: KeptLog;
  /** JOURNAL_EPOCH when it was proposed: sequences begin again, so the next start needs a higher one. */
  epoch: number;
  reason: string;
}

/** All that two people decide. */
export interface Subjects {
  resolution: ResolutionSubject;
  skip: SkipSubject;
  resume: ResumeSubject;
}

export type Kind = keyof Subjects;

/** Facts that an approval adds, found out at its moment. */
export interface ApprovalFacts {
  /** A resume needs them: the end of each partition of the command topics, in their order, by name without prefix. */
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

/** Every command of the partition is compared with these offsets: text that is no offset would be a fault of each. */
export function areFactsOf(kind: Kind, { commandEnds }: ApprovalFacts): boolean {
  if (kind !== 'resume') return true;
  if (typeof commandEnds !== 'object' || commandEnds === null) return false;
  const isOffset = (offset: unknown) => typeof offset === 'string' && /^\d{1,19}$/.test(offset);
  return Object.values(commandEnds).every((ends) => Array.isArray(ends) && ends.every(isOffset));
}
