import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { fault, joinPath, type Fault } from '../faults.js';
import { findCardData, holdsCardData, isCardFieldName, shownName } from './card-data.js';
import { CARD_DATA, isPlainObject, REQUIRED, type FieldContext, type MessageClass, type NestedContext } from './fields.js';

export type UnknownFields = 'refused' | 'ignored';

export type Checked<T> = { value: T; faults: [] } | { value?: undefined; faults: Fault[] };

const MAX_FAULTS = 100;

/**
 * Checks unknown input against a message class and returns an instance of it, or every fault with its path. The rules are class-validator's
 * metadata, read once per class: going through `validateSync` for each command would cost several times as much (bench in the README).
 */
export function check<T extends object>(type: MessageClass<T>, input: unknown, unknown: UnknownFields): Checked<T> {
  const faults: Fault[] = [];
  const value = checkObject(planOf(type), input, '', unknown, faults);
  if (faults.length === 0) return { value: value as T, faults: [] };
  if (faults.length > MAX_FAULTS) {
    faults.length = MAX_FAULTS;
    faults.push(fault('', 'too_many_faults', `more than ${MAX_FAULTS} faults; the rest is not listed`));
  }
  return { faults };
}

interface Property {
  name: string;
  isOptional: (owner: object, value: unknown) => boolean;
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
    const property = properties.get(rule.propertyName) ?? { name: rule.propertyName, isOptional: () => false };
    properties.set(rule.propertyName, property);
    const context = rule.context as Partial<FieldContext & NestedContext> | undefined;
    if (rule.type === ValidationTypes.CONDITIONAL_VALIDATION) {
      const isAsked = (rule.constraints as [(owner: object, value: unknown) => boolean])[0];
      property.isOptional = (owner, value) => !isAsked(owner, value);
    } else if (context?.inspect !== undefined) property.field = context as FieldContext;
    else if (context?.nested !== undefined) property.nested = context as NestedContext;
  }
  for (const { name, field, nested } of properties.values()) {
    if (field === undefined && nested === undefined) throw new Error(`${type.name}.${name} has no rule of validation/fields.ts`);
  }
  if (properties.size === 0) throw new Error(`${type.name} has no rules`);
  return { type, properties: [...properties.values()], names: new Set(properties.keys()) };
}

/** The fields of a message class; `nested` is the class of an object or of a list's items. */
export function fieldsOf(type: MessageClass): readonly { name: string; nested?: MessageClass }[] {
  return planOf(type).properties.map(({ name, nested }) => ({ name, ...(nested && { nested: nested.nested() }) }));
}

function checkObject(plan: Plan, input: unknown, path: string, unknown: UnknownFields, faults: Fault[]): object | undefined {
  if (!isPlainObject(input)) {
    misplaced(input, path, 'must be an object', faults);
    return undefined;
  }
  if (unknown === 'refused') refuseUnknown(plan, input, path, faults);
  const value = new plan.type() as Record<string, unknown>;
  for (const property of plan.properties) {
    if (faults.length > MAX_FAULTS) return undefined;
    const given = Object.hasOwn(input, property.name) ? input[property.name] : undefined;
    if (given === undefined) {
      if (!property.isOptional(input, undefined)) faults.push(fault(joinPath(path, property.name), REQUIRED.code, REQUIRED.message));
    } else value[property.name] = checkProperty(property, given, input, joinPath(path, property.name), unknown, faults);
  }
  return value;
}

function checkProperty(property: Property, given: unknown, owner: object, path: string, unknown: UnknownFields, faults: Fault[]): unknown {
  if (property.nested !== undefined) {
    const plan = planOf(property.nested.nested());
    const { minItems } = property.nested;
    return minItems === undefined
      ? checkObject(plan, given, path, unknown, faults)
      : checkList(plan, given, minItems, path, unknown, faults);
  }
  const finding = property.field?.inspect(given, owner);
  if (finding === undefined) return given;
  if (finding.code === 'type') misplaced(given, path, finding.message, faults);
  else faults.push(fault(path, finding.code, finding.message));
  return undefined;
}

function checkList(
  plan: Plan,
  input: unknown,
  minItems: number,
  path: string,
  unknown: UnknownFields,
  faults: Fault[],
): unknown[] | undefined {
  if (!Array.isArray(input)) {
    misplaced(input, path, 'must be a list', faults);
    return undefined;
  }
  if (input.length < minItems) faults.push(fault(path, 'length', `must have at least ${minItems} item${minItems === 1 ? '' : 's'}`));
  const items: unknown[] = [];
  for (let i = 0; i < input.length && faults.length <= MAX_FAULTS; i++)
    items.push(checkObject(plan, input[i], `${path}[${i}]`, unknown, faults));
  return items;
}

/** A value of another JSON type than its field has; objects and lists may hide card data. */
function misplaced(input: unknown, path: string, message: string, faults: Fault[]): void {
  faults.push(fault(path, 'type', message));
  if (typeof input === 'object' && input !== null) reportCardData(input, path, faults);
  else if (path === '' && findCardData(input) !== undefined) faults.push(fault(path, CARD_DATA.code, CARD_DATA.message));
}

function refuseUnknown(plan: Plan, input: Record<string, unknown>, path: string, faults: Fault[]): void {
  for (const name of Object.keys(input)) {
    if (plan.names.has(name)) continue;
    if (faults.length > MAX_FAULTS) return;
    const where = joinPath(path, shownName(name));
    if (isCardFieldName(name) || holdsCardData(name, 'prose')) faults.push(fault(where, CARD_DATA.code, CARD_DATA.message));
    else {
      faults.push(fault(where, 'unknown_field', 'is not a field of this message'));
      reportCardData(input[name], where, faults);
    }
  }
}

function reportCardData(value: unknown, path: string, faults: Fault[]): void {
  const below = findCardData(value);
  if (below !== undefined) faults.push(fault(below === '' ? path : joinPath(path, below), CARD_DATA.code, CARD_DATA.message));
}
