import type { FaultCode } from './error-codes.js';

/** One thing wrong with a message. */
export interface Fault {
  /** Where: `billing.postalCode`, `cart[0].price`; empty for the whole message. */
  path: string;
  /** Stable: programs decide by it. */
  code: FaultCode;
  /** For people. Never holds the offending value. */
  message: string;
}

export function fault(path: string, code: FaultCode, message: string): Fault {
  return { path, code, message };
}

/** `a` + `b` = `a.b`; an index comes as `[0]` and takes no dot. */
export function joinPath(parent: string, child: string): string {
  return parent === '' || child === '' || child.startsWith('[') ? parent + child : `${parent}.${child}`;
}
