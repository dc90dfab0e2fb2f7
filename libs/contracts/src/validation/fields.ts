import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, ValidateBy, ValidateIf, ValidateNested } from 'class-validator';
import type { FaultCode } from '../error-codes.js';
import { isCalendarDate, isTimestamp, TIMESTAMP_PATTERN } from './calendar.js';
import { findCardData, holdsCardData, type CardScan, type TextKind } from './card-data.js';
import { codePoints, isWellFormed } from './code-points.js';

/**
 * The vocabulary in which message classes are written. Each decorator is a class-validator rule, so class-validator itself, the checker of
 * `check.ts` and the JSON Schemas all read the same declaration. A field is required unless `@Optional()` stands beside it.
 */
export interface Finding {
  code: FaultCode;
  message: string;
}

/** Judges a value that is there (never undefined). `owner` is the object that holds it. */
export type Inspect = (value: unknown, owner: object) => Finding | undefined;
export type JsonSchema = Readonly<Record<string, unknown>>;
export type MessageClass<T extends object = object> = new () => T;

export interface FieldContext {
  inspect: Inspect;
  /** Of a text whose search for card numbers a merchant may choose. */
  scans?: Readonly<Record<CardScan, Inspect>>;
  schema: JsonSchema;
}
export interface NestedContext {
  nested: () => MessageClass;
  /** Least and greatest number of items, where the field is a list. */
  items?: { min: number; max: number };
}

export interface ProfileContext {
  requiredBy: Requirements;
  /** Another field that may stand in its place. */
  unless?: string;
}

/**
 * Which fields a command must have (docs/decisions/0044): `shown`, what the interface names as a parameter of its own and does not call
 * optional; `all`, also those that it lists in groups without saying which are mandatory. A merchant chooses.
 */
export const REQUIREMENTS = ['shown', 'all'] as const;
export type Requirements = (typeof REQUIREMENTS)[number];

/** Name under which class-validator knows our rules, and the schema generator finds their schemas. */
export const FIELD_RULE = 'field';
/** The rule beside a nested object or list; the schema says it by `required` and the type. */
export const THERE_RULE = 'isThere';

export function Field(inspect: Inspect, schema: JsonSchema, scans?: FieldContext['scans']): PropertyDecorator {
  const context: FieldContext = { inspect, schema, ...(scans && { scans }) };
  const judge = (value: unknown, owner: object) => (value === undefined ? REQUIRED : inspect(value, owner));
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

/** May be absent, but for merchants with `requirements: 'all'`; `unless` names a field that may stand in its place. */
export function RequiredByAll(unless?: string): PropertyDecorator {
  const context: ProfileContext = { requiredBy: 'all', ...(unless !== undefined && { unless }) };
  return ValidateIf((_owner, value) => value !== undefined, { context });
}

export function Nested<T extends object>(type: () => MessageClass<T>): PropertyDecorator {
  const context: NestedContext = { nested: type };
  return all(IsThere(isPlainObject), ValidateNested({ context }), Type(type));
}

/** `max`: a longer list is not read. */
export function NestedList<T extends object>(type: () => MessageClass<T>, min = 1, max = Infinity): PropertyDecorator {
  const context: NestedContext = { nested: type, items: { min, max } };
  const isList = (value: unknown) => Array.isArray(value) && value.length <= max && value.every(isPlainObject);
  const sizes = [ArrayMinSize(min), ...(max === Infinity ? [] : [ArrayMaxSize(max)])];
  return all(IsThere(isList), ValidateNested({ each: true, context }), ...sizes, Type(type));
}

/** class-validator’s own rule of nested objects takes null, and none at all. */
function IsThere(isSound: (value: unknown) => boolean): PropertyDecorator {
  return ValidateBy({ name: THERE_RULE, validator: { validate: isSound, defaultMessage: () => REQUIRED.message } });
}

export const REQUIRED: Finding = { code: 'required', message: 'is required' };

export interface TextOptions {
  pattern?: RegExp;
  /** Besides or instead of the pattern, where a pattern can't say it. */
  test?: (text: string) => boolean;
  /** JSON Schema's name of what `test` asks. */
  format?: string;
  /** What the text must be, for the message: 'a phone number in E.164 form'. */
  says?: string;
  /** Free text is searched for card numbers. */
  holds?: TextKind;
  /** The merchant may choose how it is searched. */
  scanIsChosen?: boolean;
}

/** A text of `min` to `max` Unicode code points. */
export function Text(
  min: number,
  max: number,
  { pattern, test, format, says = 'in its format', holds, scanIsChosen = false }: TextOptions = {},
): PropertyDecorator {
  const length: Finding = {
    code: 'length',
    message: min === max ? `must have ${max} characters` : `must have ${min} to ${max} characters`,
  };
  const malformed: Finding = { code: 'format', message: `must be ${says}` };
  const inspecting =
    (kind: TextKind | undefined): Inspect =>
    (value) => {
      if (typeof value !== 'string') {
        return holds !== undefined && findCardData(value) === '' ? CARD_DATA : NOT_TEXT;
      }
      // Length before content: what is far too long is not read.
      if (value.length > 2 * max) return length;
      if (kind !== undefined && holdsCardData(value, kind)) return CARD_DATA;
      if (!isWithin(value, min, max)) return length;
      if (!isWellFormed(value)) return NOT_UNICODE;
      if ((pattern !== undefined && !pattern.test(value)) || (test !== undefined && !test(value))) return malformed;
      return undefined;
    };
  const schema = {
    type: 'string',
    minLength: min,
    maxLength: max,
    ...(pattern && { pattern: pattern.source }),
    ...(format !== undefined && { format }),
  };
  const scans = { every: inspecting('prose'), schemes: inspecting('reference'), off: inspecting(undefined) };
  return Field(inspecting(holds), schema, scanIsChosen ? scans : undefined);
}

/** Code points are counted only where code units alone don't decide. */
function isWithin(text: string, min: number, max: number): boolean {
  if (text.length < min) return false;
  if (text.length <= max && text.length >= 2 * min) return true;
  const length = codePoints(text);
  return length >= min && length <= max;
}

/** A text of any length: what the platform or we ourselves wrote. */
export function AnyText(): PropertyDecorator {
  return Field((value) => (typeof value === 'string' ? undefined : NOT_TEXT), { type: 'string' });
}

/** Exact spelling: the platform's values are compared as they are. */
export function OneOf(values: readonly string[]): PropertyDecorator {
  const known = new Set<unknown>(values);
  const notOne: Finding = { code: 'enum', message: `must be one of ${values.join(', ')}` };
  return Field((value) => (known.has(value) ? undefined : typeof value === 'string' ? notOne : NOT_TEXT), {
    type: 'string',
    enum: [...values],
  });
}

/** A safe integer; `also` may ask more of one that is within its limits. */
export function Int(min: number, max: number = Number.MAX_SAFE_INTEGER, also?: Inspect): PropertyDecorator {
  const outside: Finding = {
    code: 'range',
    message:
      max === Number.MAX_SAFE_INTEGER
        ? `must be an integer of at least ${min}`
        : `must be an integer from ${min} to ${max}`,
  };
  const inspect: Inspect = (value, owner) => {
    if (typeof value !== 'number') return NOT_NUMBER;
    return Number.isSafeInteger(value) && value >= min && value <= max ? also?.(value, owner) : outside;
  };
  return Field(inspect, { type: 'integer', minimum: min, maximum: max });
}

/** An amount to pay in minor units. */
export function Amount(): PropertyDecorator {
  return Int(1);
}

export function YesNo(): PropertyDecorator {
  return Field((value) => (typeof value === 'boolean' ? undefined : NOT_BOOLEAN), { type: 'boolean' });
}

/** `YYYY-MM-DD`, a day that exists. */
export function CalendarDate(): PropertyDecorator {
  const inspect: Inspect = (value) => {
    if (typeof value !== 'string') return NOT_TEXT;
    return isCalendarDate(value) ? undefined : { code: 'format', message: 'must be a date YYYY-MM-DD that exists' };
  };
  return Field(inspect, { type: 'string', format: 'date' });
}

/** RFC 3339 with an offset, see `isTimestamp`. */
export function Timestamp(): PropertyDecorator {
  const inspect: Inspect = (value) => {
    if (typeof value !== 'string') return NOT_TEXT;
    return isTimestamp(value) ? undefined : { code: 'format', message: 'must be an RFC 3339 time-stamp' };
  };
  return Field(inspect, { type: 'string', format: 'date-time', pattern: TIMESTAMP_PATTERN });
}

/** `pattern`: of each text. */
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

/** An object whose every value is a text. */
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
const NOT_UNICODE: Finding = { code: 'format', message: 'must be well-formed Unicode' };

function all(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}
