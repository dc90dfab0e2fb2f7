import { check, type Checked } from '../validation/check.js';
import { AnyText, Int, OneOf, Optional } from '../validation/fields.js';

export const AUDIT_TYPE = 'operations.audit.recorded';

/** What operators can ask for. Those that end in `.read` change nothing. */
export const AUDIT_ACTIONS = [
  'doubts.read',
  'order.read',
  'proposals.read',
  'partitions.read',
  'resolution.say',
  'resolution.approve',
  'resolution.reject',
  'partition.skip',
  'partition.resume',
  'decision.approve',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/**
 * *asked*: written before anything is done, nothing happens without it · *done*, *proposed* (a second person has to approve), *refused*, *failed* (here,
 * so that it may have happened or not): what came of it.
 */
export const AUDIT_RESULTS = ['asked', 'done', 'proposed', 'refused', 'failed'] as const;
export type AuditResult = (typeof AUDIT_RESULTS)[number];

/** `operations.audit.v1`: who asked for what on the management port. No reason, no personal data of a buyer, no key. */
export class AuditRecord {
  @OneOf(AUDIT_ACTIONS)
  action!: AuditAction;

  @OneOf(AUDIT_RESULTS)
  result!: AuditResult;

  /** The person; absent where no key proved one. */
  @Optional()
  @AnyText()
  operator?: string;

  @Optional()
  @AnyText()
  role?: string;

  @Optional()
  @AnyText()
  merchant?: string;

  @Optional()
  @AnyText()
  orderId?: string;

  @Optional()
  @AnyText()
  commandId?: string;

  /** What a resolution says. */
  @Optional()
  @AnyText()
  outcome?: string;

  /** Id of a proposal or of a decision about a journal partition. */
  @Optional()
  @AnyText()
  proposal?: string;

  @Optional()
  @Int(0)
  partition?: number;

  /** Of the problem, where it was refused or failed. */
  @Optional()
  @AnyText()
  code?: string;
}

export const validateAuditRecord = (data: unknown): Checked<AuditRecord> => check(AuditRecord, data, 'ignored');
