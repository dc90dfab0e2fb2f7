import { ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { Problem, type ProblemFault } from './problem.js';

export interface RequestValidationOptions {
  /** Reports only each field's first fault, decorators from last to first: a missing text is not also too short. */
  stopAtFirstError?: boolean;
}

/** Reports all faults with their paths; unknown fields are faults; values are never repeated. */
export function requestValidation({ stopAtFirstError = false }: RequestValidationOptions = {}): ValidationPipe {
  return new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    stopAtFirstError,
    validationError: { target: false, value: false },
    exceptionFactory: (errors) =>
      new Problem({
        status: 400,
        code: 'invalid_request',
        detail: 'Some fields are not as they must be, see faults.',
        faults: faultsOf(errors),
      }),
  });
}

export function faultsOf(errors: readonly ValidationError[], parent = ''): ProblemFault[] {
  return errors.flatMap((error) => {
    const path = pathOf(parent, error.property);
    const own = Object.entries(error.constraints ?? {}).map(([constraint, message]) => ({
      path,
      code: CODES[constraint] ?? 'format',
      message: textOf(constraint, message, error.property),
    }));
    return [...own, ...faultsOf(error.children ?? [], path)];
  });
}

function pathOf(parent: string, property: string | undefined): string {
  if (property === undefined) return parent;
  if (/^\d+$/.test(property)) return `${parent}[${property}]`;
  return parent === '' ? property : `${parent}.${property}`;
}

function textOf(constraint: string, message: string, property: string | undefined): string {
  if (constraint === 'whitelistValidation') return 'is not a field of this request';
  if (constraint === 'unknownValue') return 'must be a JSON object';
  return property === undefined ? message : message.replace(`${property} `, '');
}

const CODES: Readonly<Record<string, string>> = {
  isDefined: 'required',
  isNotEmpty: 'required',
  whitelistValidation: 'unknown_field',
  unknownValue: 'type',
  isString: 'type',
  isInt: 'type',
  isNumber: 'type',
  isBoolean: 'type',
  isArray: 'type',
  isObject: 'type',
  nestedValidation: 'type',
  isLength: 'length',
  minLength: 'length',
  maxLength: 'length',
  isEnum: 'enum',
  isIn: 'enum',
  min: 'range',
  max: 'range',
};
