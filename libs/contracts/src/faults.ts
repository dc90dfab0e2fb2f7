import type { FaultCode } from './error-codes.js';

/** One fault of a message. */
export interface Fault {
  /** Path of the field, for example `billing.postalCode` or `cart[0].price`; empty for the whole message. */
  path: string;
  /** Stable code for programs. */
  code: FaultCode;
  /** Text for people. It never contains the offending value. */
  message: string;
}

export function fault(path: string, code: FaultCode, message: string): Fault {
  return { path, code, message };
}

/** Joins `a` and `b` to `a.b`. An index (`[0]`) is appended without a dot. */
export function joinPath(parent: string, child: string): string {
  return parent === '' || child === '' || child.startsWith('[') ? parent + child : `${parent}.${child}`;
}
