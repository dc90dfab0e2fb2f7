import { check, type Checked } from '../validation/check.js';
import { AnyText, Int, OneOf, Optional } from '../validation/fields.js';

export const AUDIT_TYPE = 'operations.audit.recorded';

/** Actions of operators on the management port, and of `tranche journal`. Actions that end in `.read` change nothing. */
export const AUDIT_ACTIONS = [
  'doubts.read',
  'conflicts.read',
  'order.read',
  'proposals.read',
  'resolution.say',
  'resolution.approve',
  'resolution.reject',
  'partition.skip',
  'partition.resume',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/**
 * `asked`: written before the action, which does not start without this record. `done`, `proposed` (a second person must approve) and
 * `refused`: the result. `failed`: an error, so the action may or may not have happened.
 */
export const AUDIT_RESULTS = ['asked', 'done', 'proposed', 'refused', 'failed'] as const;
export type AuditResult = (typeof AUDIT_RESULTS)[number];

/**
 * A record of `operations.audit.v1`, for a request on the management port or a change by `tranche journal`. No personal data of a buyer, and no
 * key.
 */
export class AuditRecord {
  @OneOf(AUDIT_ACTIONS)
  action!: AuditAction;

  @OneOf(AUDIT_RESULTS)
  result!: AuditResult;

  /** The operator's name, or who requested a change by `tranche journal`; absent if no key identified a person. */
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

  /** Name of the approver of a change by `tranche journal`. The command can't prove it, nor `operator`. */
  @Optional()
  @AnyText()
  approvedBy?: string;

  @Optional()
  @AnyText()
  reason?: string;

  /** Id of a proposal, or of a resume or skip. */
  @Optional()
  @AnyText()
  proposal?: string;

  @Optional()
  @Int(0)
  partition?: number;

  /** Offset of the journal record that is skipped. */
  @Optional()
  @AnyText()
  offset?: string;

  /** Code of the problem if the result is `refused` or `failed`. */
  @Optional()
  @AnyText()
  code?: string;
}

export const validateAuditRecord = (data: unknown): Checked<AuditRecord> => check(AuditRecord, data, 'ignored');
