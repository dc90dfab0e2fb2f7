import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, ValidateBy, ValidateIf, ValidateNested } from 'class-validator';
import type { FaultCode } from '../error-codes.js';
import {
  codePoints,
  composed,
  hiddenCharacter,
  isBlank,
  isCalendarDate,
  isTimestamp,
  TIMESTAMP_PATTERN,
} from './texts.js';
import { couldBeCardNumber, holdsCardData, holdsCvv, type TextScan } from './card-data.js';
import { Doc, type MessageClass, type SharedFormat } from './doc.js';

/**
 * Decorators for message classes. Each is a class-validator rule, so class-validator, `check.ts` and the JSON Schemas use the same
 * declaration. A field is required unless it also has `@Optional()`.
 */
interface Finding {
  code: FaultCode;
  message: string;
}

/** Checks a present value (never undefined). `owner` is the object that contains it, `rules` are the merchant's. */
export type Inspect = (value: unknown, owner: object, rules: CommandRules) => Finding | undefined;
type JsonSchema = Readonly<Record<string, unknown>>;

export interface FieldContext {
  inspect: Inspect;
  /** Returns the form in which a sound value is kept and sent. */
  normalize?: (value: unknown) => unknown;
  schema: JsonSchema;
}
export interface NestedContext {
  nested: () => MessageClass;
  /** Minimum and maximum number of items of a list. */
  items?: { min: number; max: number };
}

export interface ProfileContext {
  requiredBy: Requirements;
  /** Another field that may replace it. */
  unless?: string;
}

/**
 * Required fields of a command, chosen by the merchant (docs/decisions/0044). `shown`: parameters that the interface names individually
 * and does not call optional. `all`: also those that it lists in groups without saying which are mandatory.
 */
export const REQUIREMENTS = ['shown', 'all'] as const;
export type Requirements = (typeof REQUIREMENTS)[number];

/** Rules that a merchant may choose for its commands. */
export interface CommandRules {
  /** Default: `shown`. */
  readonly requirements?: Requirements;
  /** Default: `refuse`. */
  readonly textScan?: TextScan;
  /** Minor units by which TOTALAMOUNT of a cart item may differ from PRICE × QUANTITY. Default: 0. */
  readonly totalTolerance?: number;
}

/** Name of our rules in class-validator's metadata, by which the schema generator finds their schemas. */
export const FIELD_RULE = 'field';
/** Name of the rule for a present nested object or list. JSON Schema expresses it with `required` and `type`. */
export const THERE_RULE = 'isThere';

export function Field(inspect: Inspect, schema: JsonSchema, normalize?: FieldContext['normalize']): PropertyDecorator {
  const context: FieldContext = { inspect, schema, ...(normalize && { normalize }) };
  const judge = (value: unknown, owner: object) => (value === undefined ? REQUIRED : inspect(value, owner, {}));
  return ValidateBy(
    {
      name: FIELD_RULE,
      validator: {
        validate: (value, args) => judge(value, args?.object ?? {}) === undefined,
        defaultMessage: (args) => judge(args?.value, args?.object ?? {})?.message ?? '',
      },
    },
    { context },
  );
}

export function Optional(): PropertyDecorator {
  return ValidateIf((_owner, value) => value !== undefined);
}

/** Optional, and not sent: the method's form has no place for it. It is taken, so that one customer object serves every method; no example shows it. */
export function TakenNotSent(): PropertyDecorator {
  return ValidateIf((_owner, value) => value !== undefined, { context: { isUnsent: true } });
}

/** Optional, except for merchants with `requirements: 'all'`. `unless` names a field that may replace it. */
export function RequiredByAll(unless?: string): PropertyDecorator {
  const context: ProfileContext = { requiredBy: 'all', ...(unless !== undefined && { unless }) };
  return ValidateIf((_owner, value) => value !== undefined, { context });
}

export function Nested<T extends object>(type: () => MessageClass<T>): PropertyDecorator {
  const context: NestedContext = { nested: type };
  return all(IsThere(isPlainObject), ValidateNested({ context }), Type(type));
}

/** A list longer than `max` is refused without checking its items. */
export function NestedList<T extends object>(type: () => MessageClass<T>, min = 1, max = Infinity): PropertyDecorator {
  const context: NestedContext = { nested: type, items: { min, max } };
  const isList = (value: unknown) => Array.isArray(value) && value.length <= max && value.every(isPlainObject);
  const sizes = [ArrayMinSize(min), ...(max === Infinity ? [] : [ArrayMaxSize(max)])];
  return all(IsThere(isList), ValidateNested({ each: true, context }), ...sizes, Type(type));
}

/** class-validator's rule for nested objects accepts null and undefined, so we need this one. */
function IsThere(isSound: (value: unknown) => boolean): PropertyDecorator {
  return ValidateBy({ name: THERE_RULE, validator: { validate: isSound, defaultMessage: () => REQUIRED.message } });
}

export const REQUIRED: Finding = { code: 'required', message: 'is required' };

export interface TextOptions {
  pattern?: RegExp;
  /** For checks that a pattern cannot express; both apply if both are given. */
  test?: (text: string) => boolean;
  /** Name of the definition that the schemas share for this format. */
  as?: SharedFormat;
  /** JSON Schema `format` that matches `test`. */
  format?: string;
  /** Completes the message 'must be …', for example 'a phone number in E.164 form'. */
  says?: string;
  /** True if the text is searched for card data. The merchant's `textScan` says whether a card number is refused; a named CVV is always. */
  isSearched?: boolean;
  /** True if people type the text: it is counted and sent in Unicode's composed form (NFC). */
  isTyped?: boolean;
  /** True if the text may have several lines. */
  hasLines?: boolean;
  /** Returns the form in which a sound text is sent. */
  normalize?: (text: string) => string;
}

/** Code units of a letter with three marks beyond the basic plane. */
const LONGEST_DECOMPOSED = 8;

/** A text of `min` to `max` Unicode code points. */
export function Text(
  min: number,
  max: number,
  {
    pattern,
    test,
    as,
    format,
    says = 'in its format',
    isSearched = false,
    isTyped = false,
    hasLines = false,
    normalize = isTyped ? composed : undefined,
  }: TextOptions = {},
): PropertyDecorator {
  const length: Finding = {
    code: 'length',
    message: min === max ? `must have ${max} characters` : `must have ${min} to ${max} characters`,
  };
  const malformed: Finding = { code: 'format', message: `must be ${says}` };
  const inspect: Inspect = (value, owner, { textScan }) => {
    if (typeof value === 'number' && isSearched && couldBeCardNumber(value)) return CARD_DATA;
    if (typeof value !== 'string') return NOT_TEXT;
    // We check the length first, so that a very long text costs no work.
    if (value.length > (isTyped ? LONGEST_DECOMPOSED : 2) * max) return length;
    const text = isTyped ? composed(value) : value;
    if (
      isSearched &&
      (textScan === 'mask-in-logs' ? holdsCvv(text) : holdsCardData(text, { isOfCompany: 'companyName' in owner }))
    )
      return CARD_DATA;
    const hidden = hiddenCharacter(value, { mayJoin: isTyped, mayBreakLines: hasLines });
    if (hidden !== undefined) return { code: 'format', message: `must not hold ${hidden}` };
    if (!isWithin(text, min, max)) return length;
    if (min > 0 && isBlank(text)) return BLANK;
    if ((pattern !== undefined && !pattern.test(text)) || (test !== undefined && !test(text))) return malformed;
    return undefined;
  };
  const schema = {
    ...(as && { title: as }),
    type: 'string',
    minLength: min,
    maxLength: max,
    ...(pattern && { pattern: pattern.source }),
    ...(format !== undefined && { format }),
  };
  return Field(inspect, schema, normalize && ((text) => normalize(text as string)));
}

/** Counts code points only if the number of code units does not decide. */
function isWithin(text: string, min: number, max: number): boolean {
  if (text.length < min) return false;
  if (text.length <= max && text.length >= 2 * min) return true;
  const length = codePoints(text);
  return length >= min && length <= max;
}

/** A text of any length, for values that the platform or our own services wrote. */
export function AnyText(): PropertyDecorator {
  return TextThat(() => undefined);
}

/** A text that `find` finds no fault in. */
function TextThat(find: (text: string) => Finding | undefined, schema: JsonSchema = {}): PropertyDecorator {
  return Field((value) => (typeof value === 'string' ? find(value) : NOT_TEXT), { type: 'string', ...schema });
}

/** An optional `AnyText` with its `Doc`. */
export function OptionalText(...doc: Parameters<typeof Doc>): PropertyDecorator {
  return all(Doc(...doc), Optional(), AnyText());
}

/** Exact spelling, because the platform compares values case-sensitively. */
export function OneOf(values: readonly string[]): PropertyDecorator {
  const notOne: Finding = { code: 'enum', message: `must be one of ${values.join(', ')}` };
  return TextThat((text) => (values.includes(text) ? undefined : notOne), { enum: [...values] });
}

/** A safe integer. `also` checks a value that is within the limits. */
export function Int(
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
  also?: Inspect,
  as?: SharedFormat,
): PropertyDecorator {
  const outside: Finding = {
    code: 'range',
    message:
      max === Number.MAX_SAFE_INTEGER
        ? `must be an integer of at least ${min}`
        : `must be an integer from ${min} to ${max}`,
  };
  const inspect: Inspect = (value, owner, rules) => {
    if (typeof value !== 'number') return NOT_NUMBER;
    return Number.isSafeInteger(value) && value >= min && value <= max ? also?.(value, owner, rules) : outside;
  };
  return Field(inspect, { ...(as && { title: as }), type: 'integer', minimum: min, maximum: max });
}

/** An amount in minor units, at least 1. */
export function Amount(): PropertyDecorator {
  return Int(1, Number.MAX_SAFE_INTEGER, undefined, 'Amount');
}

/** An amount in minor units that may be 0. */
export function MinorUnits(also?: Inspect): PropertyDecorator {
  return Int(0, Number.MAX_SAFE_INTEGER, also, 'MinorUnits');
}

export function YesNo(): PropertyDecorator {
  return Field((value) => (typeof value === 'boolean' ? undefined : NOT_BOOLEAN), { type: 'boolean' });
}

/** `YYYY-MM-DD` with a day that exists. */
export function CalendarDate(): PropertyDecorator {
  const malformed: Finding = { code: 'format', message: 'must be a date YYYY-MM-DD that exists' };
  return TextThat((text) => (isCalendarDate(text) ? undefined : malformed), { format: 'date' });
}

/** RFC 3339 with an offset, see `isTimestamp`. */
export function Timestamp(): PropertyDecorator {
  const malformed: Finding = { code: 'format', message: 'must be an RFC 3339 time-stamp' };
  const schema = { title: 'Timestamp', format: 'date-time', pattern: TIMESTAMP_PATTERN };
  return TextThat((text) => (isTimestamp(text) ? undefined : malformed), schema);
}

/** A list of texts; each must match `pattern`. */
export function TextList({
  pattern,
  says = 'a list of texts',
}: Pick<TextOptions, 'pattern' | 'says'> = {}): PropertyDecorator {
  const malformed: Finding = { code: 'format', message: `must be ${says}` };
  const inspect: Inspect = (value) => {
    if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
      return { code: 'type', message: 'must be a list of texts' };
    return pattern === undefined || value.every((item: string) => pattern.test(item)) ? undefined : malformed;
  };
  return Field(inspect, { type: 'array', items: { type: 'string' } });
}

/** An object whose values are texts. */
export function TextMap(): PropertyDecorator {
  const inspect: Inspect = (value) =>
    isPlainObject(value) && Object.values(value).every((item) => typeof item === 'string')
      ? undefined
      : { code: 'type', message: 'must be an object of texts' };
  return Field(inspect, { type: 'object', additionalProperties: { type: 'string' } });
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const CARD_DATA: Finding = { code: 'card_data_forbidden', message: 'holds card data, which is never taken' };
const NOT_TEXT: Finding = { code: 'type', message: 'must be a text' };
const NOT_NUMBER: Finding = { code: 'type', message: 'must be a number' };
const NOT_BOOLEAN: Finding = { code: 'type', message: 'must be true or false' };
const BLANK: Finding = { code: 'length', message: 'must have a character that is not blank' };

export function all(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}
