import { check, type Checked } from '../validation/check.js';
import { Doc } from '../validation/doc.js';
import { AnyText, Int, OneOf, Optional, OptionalText } from '../validation/fields.js';

export const AUDIT_TYPE = 'operations.audit.recorded';

/** Actions of operators on the management port, and of `tranche journal`. Actions that end in `.read` change nothing. */
const AUDIT_ACTIONS = [
  'doubts.read',
  'conflicts.read',
  'order.read',
  'proposals.read',
  'what_if.read',
  'me.read',
  'resolution.submit',
  'resolution.approve',
  'resolution.reject',
  'conflict.settle',
  'controls.read',
  'control.set',
  'control.lift',
  'command.replay',
  'partition.skip',
  'partition.resume',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/**
 * `asked`: written before the action, which does not start without this record. `done`, `proposed` (a second person must approve) and
 * `refused`: the result. A second `asked` with the code `recorded`: it is in the journal, and not judged yet. `failed`: an error, so the action may or may not have happened.
 */
const AUDIT_RESULTS = ['asked', 'done', 'proposed', 'refused', 'failed'] as const;
export type AuditResult = (typeof AUDIT_RESULTS)[number];

@Doc(
  'A request of an operator on the management port, or a change by tranche journal. It holds no personal data of a buyer, and no key.',
)
export class AuditRecord {
  @Doc(
    'What the operator asked for. Actions that end in .read change nothing. Later versions may add actions.',
    'resolution.submit',
    AUDIT_ACTIONS,
  )
  @AnyText()
  action!: AuditAction;

  @Doc(
    'asked is written before the action, which does not start without this record; done, proposed and refused say how it ended. A second asked, with the code recorded, says that it is in the journal and not judged yet: the order shows if it counts. After failed it may or may not have happened.',
    'done',
  )
  @OneOf(AUDIT_RESULTS)
  result!: AuditResult;

  @OptionalText('Name of the operator. Absent if no key identified a person.', 'anna')
  operator?: string;

  @OptionalText('Role of the operator: viewer, operator or approver.', 'operator')
  role?: string;

  @OptionalText('Merchant of the order.', 'shop-fr')
  merchant?: string;

  @OptionalText('Order number of the shop.', 'order-1')
  orderId?: string;

  @OptionalText('CloudEvents id of the command whose operation is resolved.', '5b0a4c1e-0d0f-4a55-8c0e-2f6a1f0c9d10')
  commandId?: string;

  @OptionalText('Outcome that the resolution or settlement states.', 'succeeded')
  outcome?: string;

  @OptionalText(
    'Name of the person who approved a change by tranche journal. The command cannot prove it, nor operator.',
    'bernard',
  )
  approvedBy?: string;

  @OptionalText('Reason that the operator gave.', 'seen in the back office')
  reason?: string;

  @OptionalText('Rail or merchant whose commands are stopped or taken again.', 'rail:partner-b')
  scope?: string;

  @OptionalText('Dead letter that is replayed, as topic/partition/offset.', 'payments.commands.dead-letter.v1/3/42')
  deadLetter?: string;

  @OptionalText('Id of a proposal that a second person decides, or of a resume or skip of the journal.', 'p-1')
  proposal?: string;

  @Doc('Partition of the journal.', 3)
  @Optional()
  @Int(0)
  partition?: number;

  @OptionalText('Offset of the journal record that is skipped, in decimal.', '42')
  offset?: string;

  @OptionalText('Code of the problem, if the result is refused or failed; recorded, see result.', 'not_in_doubt')
  code?: string;
}

export const validateAuditRecord = (data: unknown): Checked<AuditRecord> => check(AuditRecord, data, 'ignored');
