import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { fault, joinPath, type Fault } from '../error-codes.js';
import { findCardData, isCardName, MAX_SEARCHED, shownName, type SearchLimit } from './card-data.js';
import {
  CARD_DATA,
  isPlainObject,
  REQUIRED,
  type FieldContext,
  type NestedContext,
  type ProfileContext,
  type CommandRules,
} from './fields.js';
import type { MessageClass } from './doc.js';

export type UnknownFields = 'refused' | 'ignored';

export type Checked<T> = { value: T; faults: [] } | { value?: undefined; faults: Fault[] };

const MAX_FAULTS = 100;

/**
 * Checks unknown input against a message class. Returns an instance, or all faults with their paths; never throws for bad input. It reads
 * class-validator's metadata once per class, because `validateSync` per command would be several times slower (benchmark in the README).
 */
export function check<T extends object>(
  type: MessageClass<T>,
  input: unknown,
  unknown: UnknownFields,
  rules: CommandRules = {},
): Checked<T> {
  const faults: Fault[] = [];
  const value = checkObject(planOf(type), input, '', { unknown, rules, faults, left: { characters: MAX_SEARCHED } });
  if (faults.length === 0) return { value: value as T, faults: [] };
  if (faults.length > MAX_FAULTS) {
    faults.length = MAX_FAULTS;
    faults.push(fault('', 'too_many_faults', `more than ${MAX_FAULTS} faults; the rest is not listed`));
  }
  return { faults };
}

/** Context of one check; faults are collected in `faults`. */
interface Run {
  readonly rules: CommandRules;
  readonly unknown: UnknownFields;
  readonly faults: Fault[];
  /** Characters that may still be searched in values that do not belong in the message. */
  readonly left: SearchLimit;
}

interface Property {
  name: string;
  isOptional?: true;
  isUnsent?: true;
  profile?: ProfileContext;
  field?: FieldContext;
  nested?: NestedContext;
}

interface Plan {
  type: MessageClass;
  properties: readonly Property[];
  names: ReadonlySet<string>;
}

const plans = new WeakMap<MessageClass, Plan>();

function planOf(type: MessageClass): Plan {
  let plan = plans.get(type);
  if (plan === undefined) {
    plan = readPlan(type);
    plans.set(type, plan);
  }
  return plan;
}

function readPlan(type: MessageClass): Plan {
  const properties = new Map<string, Property>();
  for (const rule of getMetadataStorage().getTargetValidationMetadatas(type, '', false, false)) {
    const property: Property = properties.get(rule.propertyName) ?? { name: rule.propertyName };
    properties.set(rule.propertyName, property);
    const context = rule.context as
      Partial<FieldContext & NestedContext & ProfileContext & { isUnsent: true }> | undefined;
    if (rule.type === ValidationTypes.CONDITIONAL_VALIDATION) {
      property.isOptional = true;
      if (context?.isUnsent) property.isUnsent = true;
      if (context?.requiredBy !== undefined) property.profile = context as ProfileContext;
    } else if (context?.inspect !== undefined) property.field = context as FieldContext;
    else if (context?.nested !== undefined) property.nested = context as NestedContext;
  }
  for (const { name, field, nested } of properties.values()) {
    if (field === undefined && nested === undefined)
      throw new Error(`${type.name}.${name} has no rule of validation/fields.ts`);
  }
  if (properties.size === 0) throw new Error(`${type.name} has no rules`);
  return { type, properties: [...properties.values()], names: new Set(properties.keys()) };
}

interface DescribedField {
  name: string;
  /** Class of the object, or of the list's items. */
  nested?: MessageClass;
  isList: boolean;
  /** Limit of a text. */
  maxLength?: number;
  /** True if a text is sent in Unicode's composed form (NFC). */
  isComposed: boolean;
  /** True if it is taken and not sent. */
  isUnsent: boolean;
}

export function fieldsOf(type: MessageClass): readonly DescribedField[] {
  return planOf(type).properties.map(({ name, nested, field, isUnsent = false }) => ({
    name,
    isUnsent,
    isComposed: field?.normalize !== undefined,
    isList: nested?.items !== undefined,
    ...(nested && { nested: nested.nested() }),
    ...(typeof field?.schema.maxLength === 'number' && { maxLength: field.schema.maxLength }),
  }));
}

function checkObject(plan: Plan, input: unknown, path: string, run: Run): object | undefined {
  const { unknown, faults } = run;
  if (!isPlainObject(input)) {
    misplaced(input, path, 'must be an object', run);
    return undefined;
  }
  if (unknown === 'refused') refuseUnknown(plan, input, path, run);
  const value = new plan.type() as Record<string, unknown>;
  for (const property of plan.properties) {
    if (faults.length > MAX_FAULTS) return undefined;
    const given = Object.hasOwn(input, property.name) ? input[property.name] : undefined;
    if (given !== undefined) value[property.name] = checkProperty(property, given, input, path, run);
    else if (isMissing(property, input, run))
      faults.push(fault(joinPath(path, property.name), REQUIRED.code, REQUIRED.message));
  }
  return value;
}

function isMissing({ isOptional, profile }: Property, owner: Record<string, unknown>, { rules }: Run): boolean {
  if (!isOptional) return true;
  if (profile === undefined || profile.requiredBy !== rules.requirements) return false;
  return profile.unless === undefined || !Object.hasOwn(owner, profile.unless) || owner[profile.unless] === undefined;
}

/** @param ownerPath path of `owner`; that of the property is only made where something needs it */
function checkProperty(property: Property, given: unknown, owner: object, ownerPath: string, run: Run): unknown {
  if (property.nested !== undefined) {
    const path = joinPath(ownerPath, property.name);
    const plan = planOf(property.nested.nested());
    const { items } = property.nested;
    // A merchant's requirements are about what is sent.
    const ofPart = property.isUnsent ? { ...run, rules: { ...run.rules, requirements: 'shown' as const } } : run;
    return items === undefined ? checkObject(plan, given, path, ofPart) : checkList(plan, given, items, path, run);
  }
  const { field } = property;
  const finding = field?.inspect(given, owner, run.rules);
  if (finding === undefined) return field?.normalize === undefined ? given : field.normalize(given);
  const path = joinPath(ownerPath, property.name);
  if (finding.code === 'type') misplaced(given, path, finding.message, run);
  else run.faults.push(fault(path, finding.code, finding.message));
  return undefined;
}

function checkList(
  plan: Plan,
  input: unknown,
  { min, max }: { min: number; max: number },
  path: string,
  run: Run,
): unknown[] | undefined {
  const { faults } = run;
  if (!Array.isArray(input)) {
    misplaced(input, path, 'must be a list', run);
    return undefined;
  }
  if (input.length < min) faults.push(fault(path, 'length', `must have at least ${min} item${min === 1 ? '' : 's'}`));
  // We check the length first, so that a list that is too long costs no work.
  if (input.length > max) {
    faults.push(fault(path, 'length', `must have at most ${max} items`));
    return undefined;
  }
  const items: unknown[] = [];
  for (let i = 0; i < input.length && faults.length <= MAX_FAULTS; i++)
    items.push(checkObject(plan, input[i], `${path}[${i}]`, run));
  return items;
}

/** Reports a value of a wrong JSON type, and card data inside it, because objects and lists may hide some. */
function misplaced(input: unknown, path: string, message: string, run: Run): void {
  run.faults.push(fault(path, 'type', message));
  if ((typeof input === 'object' && input !== null) || path === '') reportCardData(input, path, run);
}

function refuseUnknown(plan: Plan, input: Record<string, unknown>, path: string, run: Run): void {
  const { faults, left } = run;
  for (const name of Object.keys(input)) {
    if (plan.names.has(name)) continue;
    if (faults.length > MAX_FAULTS) return;
    const where = joinPath(path, shownName(name));
    if (isCardName(name, left)) faults.push(fault(where, CARD_DATA.code, CARD_DATA.message));
    else {
      faults.push(fault(where, 'unknown_field', 'is not a field of this message'));
      reportCardData(input[name], where, run);
    }
  }
}

function reportCardData(value: unknown, path: string, { faults, left }: Run): void {
  const below = findCardData(value, left);
  if (below !== undefined)
    faults.push(fault(below === '' ? path : joinPath(path, below), CARD_DATA.code, CARD_DATA.message));
}
