import { check, type Checked } from '../validation/check.js';
import { AnyText, Int, OneOf, Optional } from '../validation/fields.js';

export const AUDIT_TYPE = 'operations.audit.recorded';

/** Actions of operators on the management port. Actions that end in `.read` change nothing. */
export const AUDIT_ACTIONS = [
  'doubts.read',
  'conflicts.read',
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
 * `asked`: written before the action, which does not start without this record. `done`, `proposed` (a second person must approve) and
 * `refused`: the result. `failed`: an error, so the action may or may not have happened.
 */
export const AUDIT_RESULTS = ['asked', 'done', 'proposed', 'refused', 'failed'] as const;
export type AuditResult = (typeof AUDIT_RESULTS)[number];

/** A record of `operations.audit.v1`, for a request on the management port. No reason text, personal data of a buyer, or key. */
export class AuditRecord {
  @OneOf(AUDIT_ACTIONS)
  action!: AuditAction;

  @OneOf(AUDIT_RESULTS)
  result!: AuditResult;

  /** The operator's name; absent if no key identified a person. */
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

  /** The outcome that the resolution states. */
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

  /** Code of the problem if the result is `refused` or `failed`. */
  @Optional()
  @AnyText()
  code?: string;
}

export const validateAuditRecord = (data: unknown): Checked<AuditRecord> => check(AuditRecord, data, 'ignored');
