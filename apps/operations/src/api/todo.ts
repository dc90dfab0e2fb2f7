/** Says what to do with an entry of the dead letters or the quarantine. A command is whole, has the entry's own id, and ends the text. */
import { MERCHANT_PATTERN, TOPICS } from '@tranche/contracts';

interface ListedEntry {
  id: string;
  kind: string;
  merchant: string;
  body: object;
  closed: object | null;
}

const PUBLISHED_ANEW = 'its shop publishes it again';
const LEAVE_FORGERY = 'A forgery: leave it, it leaves with the retention of its topic; never replay it';

export function todoOf(topic: string, entry: ListedEntry): string | undefined {
  if (topic === TOPICS.commandsDeadLetter.name) return ofDeadLetter(entry);
  if (topic === TOPICS.notificationsQuarantine.name) return ofQuarantine(entry);
  return undefined;
}

const reason = (text: string): string => `--reason '${text}, ticket NUMBER'`;
const mend = (id: string): string =>
  `tranche replay ${id} --command mended.json ${reason('what was mended')} --dry-run`;

/** The codes that no replay helps; of all others a mended command may be published. */
const OF_DEAD_LETTERS: Readonly<Record<string, (id: string) => string>> = {
  signature_refused: () =>
    `No replay helps, for only its shop can sign: compare the key with publisherKeys, and ${PUBLISHED_ANEW}. ${LEAVE_FORGERY}`,
  journal_resumed: () =>
    `It may have been executed before the journal was resumed: look in the back office. If it was not, ${PUBLISHED_ANEW} with a new id`,
  unreadable_batch: () => `Nothing of it can be read, so it can not be mended: ${PUBLISHED_ANEW}`,
  handler_failed: (id) =>
    `A fault of ours, the log of the gateway has it. Once that is mended: tranche jobs replay ${id} ${reason('fault mended')} --dry-run`,
};

function ofDeadLetter({ id, kind, body }: ListedEntry): string {
  const known = OF_DEAD_LETTERS[kind];
  if (known !== undefined) return known(id);
  const { withheld } = body as { withheld?: string };
  const lacks =
    withheld === undefined ? '' : '(the letter lacks what might have been card data, so write the whole command) ';
  return `Tell its shop, which publishes it again, mended. In its place, where its commands need no signature, from a file: ${lacks}${mend(id)}`;
}

/** Requests that are no notification, and what lost its values, no key verifies any more. */
function ofQuarantine({ kind, merchant, body, closed }: ListedEntry): string {
  if (closed !== null) return 'Nothing: it was verified again and published';
  const { altered } = body as { altered?: boolean };
  const noOrder =
    'It is genuine and names no order: find its order by the TRANSACTIONID in the back office. It leaves with the retention of its topic';
  if (kind === 'no_order') return noOrder;
  if (kind === 'unreadable' || kind === 'not_found')
    return 'Leave it: no key can verify it. Is the NOTIFICATION_URL that the platform has the one that ends in /notifications?';
  if (altered === true)
    return 'Leave it: it was kept without what might have been card data, so no key can verify it. The back office shows its order';
  const of = MERCHANT_PATTERN.test(merchant) ? ` --merchant ${merchant}` : '';
  const wrong =
    kind === 'unknown_identifier' ? "its IDENTIFIER is the merchant's, add it" : 'the key here was wrong, put it right';
  return `${LEAVE_FORGERY} or decide by it. If ${wrong} in MERCHANTS_FILE, then in a pod of notification-ingest: tranche quarantine reverify${of} --dry-run`;
}
