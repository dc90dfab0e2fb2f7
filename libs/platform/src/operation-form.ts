import {
  methodOfRail,
  METHODS,
  OPERATION_TYPE_OF,
  PAYMENT_OPTIONS,
  PROTOCOL_VERSION,
  type OperationType,
} from '@tranche/contracts';
import { encodeForm, type Parameter, type Parameters } from './form.js';
import type { PlatformOperation } from './payment-rules.js';
import { ListOf, NotSent, OPERATION_FIELDS } from './operation-fields.js';
import { signed, signingKey } from './signature.js';

interface OperationForm {
  /** Value of `method` and OPERATIONTYPE. */
  operationType: OperationType;
  /** Path after {payment_url}. */
  path: string;
  /** `method=…&params[NAME]=…`, URL-encoded. */
  body: string;
}

interface FormContext {
  /** TRANSACTIONID for a capture, refund or void whose command does not name one. */
  transactionId?: string;
  /** EXTRADATA with our suffix after the caller's value; ignored by operations without EXTRADATA. */
  extraData?: string;
}

/** Builds the signed request of one attempt, with the parameters that the interface lists for the operation. */
export function operationForm(operation: PlatformOperation, context: FormContext): OperationForm {
  const operationType = OPERATION_TYPE_OF[operation.operation];
  const { endpoint: path } = METHODS[methodOfRail(operation.rail)];
  return { operationType, path, body: encodeForm(operationType, operationParameters(operation, context)) };
}

/** The parameters before encoding, HASH included. */
function operationParameters(operation: PlatformOperation, context: FormContext): Parameters {
  const { data, merchant } = operation;
  const parameters: Parameter[] = [
    ['IDENTIFIER', merchant.identifier],
    ['OPERATIONTYPE', OPERATION_TYPE_OF[operation.operation]],
    ['VERSION', PROTOCOL_VERSION],
  ];
  addParameters(parameters, fieldsOf(operation), Object.assign({}, data, context));
  return signed(parameters, signingKey(merchant, 'apiKeyId' in data ? data.apiKeyId : undefined));
}

type Field = string | NotSent | ListOf<unknown> | Fields;
interface Fields {
  readonly [field: string]: Field;
}

function fieldsOf(operation: PlatformOperation): Fields {
  switch (operation.operation) {
    case 'authorize':
      return OPERATION_FIELDS[METHODS[PAYMENT_OPTIONS[operation.data.paymentOption].method].fields];
    case 'pay':
      return OPERATION_FIELDS[METHODS.card.fields];
    case 'capture':
    case 'refund':
    case 'void':
      return OPERATION_FIELDS[operation.operation];
  }
}

/** Cached, because a form is built for each attempt. */
const rowsOf = new WeakMap<Fields, readonly (readonly [field: string, to: Field])[]>();

function listedRows(fields: Fields): readonly (readonly [field: string, to: Field])[] {
  const listed = rowsOf.get(fields) ?? Object.entries(fields);
  rowsOf.set(fields, listed);
  return listed;
}

/** Leaves out undefined values. `prefix` and `suffix` enclose the parameter's name, for items of a list. */
function addParameters(parameters: Parameter[], fields: Fields, data: object, prefix = '', suffix = ''): void {
  for (const [field, to] of listedRows(fields)) {
    const value: unknown = (data as Record<string, unknown>)[field];
    if (value === undefined || to instanceof NotSent) continue;
    if (typeof to === 'string') {
      parameters.push([prefix + to + suffix, typeof value === 'string' ? value : JSON.stringify(value)]);
    } else if (to instanceof ListOf) {
      (value as readonly object[]).forEach((item, index) =>
        addParameters(parameters, to.fields, item, `${to.name}[${index}][`, ']'),
      );
    } else {
      addParameters(parameters, to, value as object, prefix, suffix);
    }
  }
}
