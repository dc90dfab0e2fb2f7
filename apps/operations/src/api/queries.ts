/** The query parameters of the routes. */
import { ITEM_RESULTS, JOB_KINDS, MERCHANT_PATTERN, REASON, type JobKind } from '@tranche/contracts';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  IsISO8601,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  ValidateIf,
} from 'class-validator';

const given = (name: string) => ValidateIf((query: Record<string, unknown>) => query[name] !== undefined);
/** Texts of PostgreSQL hold no NUL. */
const NO_CONTROL = /^[^\u0000-\u001f\u007f]*$/u;
const TIME = { message: 'must be an RFC 3339 time-stamp' };

export class PageQuery {
  @given('merchant')
  @Matches(MERCHANT_PATTERN, { message: 'must be the name of a merchant' })
  merchant?: string;

  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(500)
  limit = 100;

  @given('cursor')
  @IsString()
  @Length(1, 2_000)
  cursor?: string;
}

const ATTENTION_KINDS = [
  ...['doubt', 'conflict', 'candidates', 'open_to_operator', 'frozen'],
  ...['proposal', 'rail', 'control', 'partition', 'dead_letters', 'quarantine'],
];

export class AttentionQuery extends PageQuery {
  @given('kind')
  @IsIn(ATTENTION_KINDS)
  kind?: string;

  @given('minAmount')
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  minAmount?: number;

  @IsIn(['urgency', 'age', 'amount'])
  sort: 'urgency' | 'age' | 'amount' = 'urgency';
}

export class OrdersQuery extends PageQuery {
  /** An orderId or its beginning, `merchant/orderId`, a TRANSACTIONID or the id of a command. */
  @given('q')
  @IsString()
  @Length(1, 160)
  @Matches(NO_CONTROL, { message: 'must have no control characters' })
  q?: string;

  @given('status')
  @Matches(/^[a-z_]{1,32}$/, { message: 'must be the status of an order' })
  status?: string;

  @given('amount')
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  amount?: number;

  @given('currency')
  @Matches(/^[A-Z]{3}$/, { message: 'must be a currency, three capital letters' })
  currency?: string;

  @given('from')
  @IsISO8601({ strict: true }, TIME)
  from?: string;

  @given('to')
  @IsISO8601({ strict: true }, TIME)
  to?: string;
}

export class RecordsQuery extends PageQuery {
  @given('kind')
  @Matches(/^[a-z][a-z0-9_.-]{0,63}$/, { message: 'must be the action, code or reason of an entry' })
  kind?: string;

  @given('orderId')
  @IsString()
  @Length(1, 160)
  @Matches(NO_CONTROL, { message: 'must have no control characters' })
  orderId?: string;
}

export class QuarantineQuery extends RecordsQuery {
  /** Those that were verified again and published since, instead of those that are open. */
  @IsIn(['true', 'false'])
  closed: 'true' | 'false' = 'false';
}

export class AuditQuery extends RecordsQuery {
  /** Only what changed something, or may have: neither looks, nor what was refused, nor the announcement of a deed whose result follows. */
  @IsIn(['true', 'false'])
  deeds: 'true' | 'false' = 'false';

  @given('person')
  @Matches(/^[\x21-\x7e]{1,128}$/, { message: 'must be the name of a person, as the audit has it' })
  person?: string;

  @given('from')
  @IsISO8601({ strict: true }, TIME)
  from?: string;

  @given('to')
  @IsISO8601({ strict: true }, TIME)
  to?: string;
}

export class TimelineQuery {
  @given('at')
  @IsISO8601({ strict: true }, TIME)
  at?: string;
}

export class JobsQuery extends PageQuery {
  @given('kind')
  @IsIn(JOB_KINDS)
  kind?: JobKind;

  @given('status')
  @IsIn(['planned', 'running', 'interrupted', 'cancelled', 'done'])
  status?: string;
}

export class JobItemsQuery extends PageQuery {
  @given('verdict')
  @Matches(/^[a-z-]{1,32}$/, { message: 'must be a verdict' })
  verdict?: string;

  @given('result')
  @IsIn(ITEM_RESULTS)
  result?: string;

  @IsIn(['json', 'csv'])
  format: 'json' | 'csv' = 'json';
}

/** 32 MiB are about 400,000 rows. */
export const MOST_CSV = 33_554_432;

export class JobRequest {
  @IsIn(JOB_KINDS)
  kind: JobKind;

  @IsString()
  @Length(REASON.least, REASON.mostOfJob)
  @Matches(NO_CONTROL, { message: 'must have no control characters' })
  reason: string;

  @given('merchant')
  @Matches(MERCHANT_PATTERN, { message: 'must be the name of a merchant' })
  merchant?: string;

  @given('ids')
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1_000)
  @Matches(/^\d{1,6}-\d{1,19}$/, { each: true, message: 'must be ids of dead letters, as they are listed' })
  ids?: string[];

  @given('csv')
  @IsString()
  @Length(1, MOST_CSV)
  csv?: string;
}
