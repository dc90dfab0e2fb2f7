import { Doc } from '../validation/doc.js';
import {
  AnyText,
  Int,
  NestedList,
  OneOf,
  Optional,
  OptionalText,
  TextList,
  TextMap,
  Timestamp,
} from '../validation/fields.js';

export const JOB_TYPE = 'operations.job.recorded';
export const JOB_KINDS = ['replay', 'reconcile', 'resolve-by-file'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

const JOB_RECORDS = ['items', 'planned', 'started', 'alive', 'begun', 'released', 'result', 'ended'] as const;
const JOB_PASSES = ['run', 'approval'] as const;
const JOB_ENDS = ['interrupted', 'cancelled', 'done'] as const;
/** `unknown`: whoever ran the job ended meanwhile. */
export const ITEM_RESULTS = ['done', 'proposed', 'approved', 'failed', 'unknown'] as const;
export type ItemResult = (typeof ITEM_RESULTS)[number];

@Doc('One item of the plan of a job.')
export class JobItem {
  @Doc('Number in the plan.', 1)
  @Int(1)
  number!: number;

  @Doc('What it is about: the id of a dead letter, else merchant/orderId.', 'shop-fr/order-1')
  @AnyText()
  key!: string;

  @Doc('What was found when the plan was made.', 'other-amount')
  @AnyText()
  verdict!: string;

  @OptionalText('Reason of the verdict.', 'The export has 250.00, the order 300.00.')
  why?: string;

  @Doc('What the verdict rests on.', { transactionId: 'T0000000001' })
  @Optional()
  @TextMap()
  about?: Record<string, string>;
}

@Doc('Number of items with a verdict.')
class JobCount {
  @Doc('The verdict.', 'other-amount')
  @AnyText()
  verdict!: string;

  @Doc('Number of its items.', 1)
  @Int(0)
  number!: number;
}

@Doc('A step of a job of operations. The state of a job is what its records make of it, in their order.')
export class JobRecord {
  @Doc(
    'items: a part of the plan, before planned. started: somebody runs it. alive: still. begun: the item is under way. released: it was not, after all. result, ended: how it ended.',
    'items',
  )
  @OneOf(JOB_RECORDS)
  record!: (typeof JOB_RECORDS)[number];

  @Doc('Id of the job, the key of its records.', '0195507a-6f8c-7000-8000-000000000001')
  @AnyText()
  job!: string;

  @Doc('Time of the record.', '2027-03-01T10:00:00.000Z')
  @Timestamp()
  at!: string;

  @OptionalText('Person who asked for it.', 'anna')
  by?: string;

  @Doc('What the job does. Of planned.', 'reconcile')
  @Optional()
  @OneOf(JOB_KINDS)
  kind?: JobKind;

  @OptionalText('Why. Of planned.', 'evening comparison, ticket 814')
  reason?: string;

  @Doc('Merchants of its items: who may not see all of them does not see the job. Of planned.', ['shop-fr'])
  @Optional()
  @TextList()
  merchants?: string[];

  @Doc('Items of a part of the plan.')
  @Optional()
  @NestedList(() => JobItem, 0)
  items?: JobItem[];

  @Doc('Numbers of all items. Of planned.')
  @Optional()
  @NestedList(() => JobCount, 0)
  counts?: JobCount[];

  @Doc('Items that are to be done. Of planned and started.', 12)
  @Optional()
  @Int(0)
  total?: number;

  @OptionalText(
    'Which run of the job it is. The records of another run count no more.',
    'b8c7e2f4-3f2e-4a55-8c0e-2f6a1f0c9d10',
  )
  run?: string;

  @OptionalText('The run that this one follows. Of started.', 'a8c7e2f4-3f2e-4a55-8c0e-2f6a1f0c9d10')
  follows?: string;

  @Doc('run: does what is planned. approval: approves the proposals of the run. Of started.', 'run')
  @Optional()
  @OneOf(JOB_PASSES)
  pass?: (typeof JOB_PASSES)[number];

  @Doc('Number of the item. Of begun, released and result.', 1)
  @Optional()
  @Int(1)
  number?: number;

  @Doc('What became of the item.', 'proposed')
  @Optional()
  @OneOf(ITEM_RESULTS)
  result?: ItemResult;

  @OptionalText('The answer of the gateway, or why a run was interrupted.', 'A second person must approve.')
  why?: string;

  @OptionalText('Id of the proposal that the item led to.', '0195507a-6f8c-7000-8000-000000000002')
  proposal?: string;

  @Doc('How the run ended. Of ended.', 'done')
  @Optional()
  @OneOf(JOB_ENDS)
  status?: (typeof JOB_ENDS)[number];
}
