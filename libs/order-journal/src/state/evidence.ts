import {
  execCode as execCodeOf,
  execCodeClass,
  type NotifiedResult,
  type PaymentNotification,
} from '@tranche/contracts';
import { untagExtraData } from './extradata-tag.js';
import { type Evidence } from './records.js';
import { RULES_VERSION } from './rules-version.js';
import { compact } from './draft.js';

/** What a notification says, as a journal record. `reported`: its operation's part. `at`: RFC 3339. */
export function notificationEvidence(
  notification: PaymentNotification,
  reported: NotifiedResult,
  at: string,
): Evidence {
  const { merchant, orderId, execCode } = notification;
  const { extraData: returned, ...rest } = reported;
  const { tag, extraData } = untagExtraData(returned);
  const identity = {
    record: 'EVIDENCE',
    rulesVersion: RULES_VERSION,
    merchant,
    orderId,
    at,
    source: 'notification',
  } as const;
  return {
    ...identity,
    result: evidenceResult(execCode),
    ...rest,
    ...compact({ tag, extraData }),
    ...execCodeNotes(execCode),
  };
}

/**
 * What an EXECCODE proves about its operation where it does not come with the answer itself. `redirect` and `unclear` are stored values of
 * journal records: the states are called `redirect_required` and `in_doubt` everywhere else.
 */
export function evidenceResult(execCode: string): Evidence['result'] {
  const codeClass = execCodeClass(execCode);
  switch (codeClass) {
    case 'succeeded':
    case 'succeeded_partly':
      return 'succeeded';
    case 'redirect_required':
      return 'redirect';
    case 'in_doubt':
      return 'unclear';
    case 'pending':
    case 'refused':
    case 'not_executed':
      return codeClass;
  }
}

/** What an EXECCODE adds to a result: accepted in part, or a refusal that may mean "already done". Both absent where they do not hold. */
export function execCodeNotes(execCode: string): { partial?: true; mayBeDone?: true } {
  const { class: codeClass, maybeAlreadyDone } = execCodeOf(execCode);
  return {
    ...(codeClass === 'succeeded_partly' ? { partial: true } : {}),
    ...(maybeAlreadyDone ? { mayBeDone: true } : {}),
  };
}
