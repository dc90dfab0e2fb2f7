import { execCodeClass } from '@tranche/contracts';
import type { Evidence } from './records.js';

/** What an EXECCODE that somebody else than the answer tells of proves about its operation. */
export function evidenceResult(execCode: string): Evidence['result'] {
  const codeClass = execCodeClass(execCode);
  switch (codeClass) {
    case 'succeeded':
    case 'succeeded_partly':
      return 'succeeded';
    case 'cardholder':
      return 'redirect';
    case 'in_doubt':
      return 'unclear';
    case 'pending':
    case 'refused':
    case 'not_executed':
      return codeClass;
  }
}
