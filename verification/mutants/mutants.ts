import type { ProfileName } from '../simulation/profile.js';
import type { PlantedText } from './planted.js';

/** A piece of one compiled file. */
interface Change {
  /** In the project's `dist`. */
  file: string;
  find: string;
  replace: string;
}

export interface Mutant extends PlantedText, Change {
  project: 'order-journal' | 'kafka';
  /** What must go with it, where one mistake alone is caught by a second line of defence. */
  also?: readonly Change[];
  /** The mistake in one line. */
  does: string;
  /** The worlds that it takes, where those drawn plainly show it too seldom. */
  profile?: ProfileName;
}

/** Mistakes that a maintainer could make, each in the real compiled code. The simulation must find every one. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'send-before-the-acknowledgement',
    does: 'sends while its INTENT is still on the way to the journal',
    project: 'order-journal',
    file: 'execution/command-executor.js',
    find: 'const after = await journal.appendAndRead(intent, trace);',
    replace:
      "void journal.append(intent).catch(() => undefined); return { token, verdict: 'granted', started, after: order };",
  },
  {
    name: 'skip-the-read-back',
    does: 'takes the acknowledged INTENT for a grant and does not ask the fold',
    project: 'order-journal',
    file: 'execution/command-executor.js',
    find: 'const after = await journal.appendAndRead(intent, trace);',
    replace: "await journal.append(intent); return { token, verdict: 'granted', started, after: order };",
  },
  {
    name: 'dedupe-only-in-redis',
    does: 'asks the state that was read before instead of the verdict on its own INTENT',
    project: 'order-journal',
    file: 'execution/command-executor.js',
    find: 'const verdict = verdictOf(after, token);',
    replace: "const verdict = findOperation(order, commandId)?.phase ?? 'granted';",
  },
  {
    name: 'retry-on-5xx',
    does: 'takes an HTTP 5xx for "not executed" and tries again',
    project: 'order-journal',
    file: 'execution/command-executor.js',
    find: 'token, ...result }',
    replace:
      "token, ...(result.reason === 'http_status' ? { record: 'NOT_EXECUTED', reason: 'unreachable', message: '' } : result) }",
  },
  {
    name: 'no-send-deadline',
    does: 'sends however long ago it asked (R5)',
    project: 'order-journal',
    file: 'execution/command-executor.js',
    find: 'isWithinSendDeadline(started, this.#moment())',
    replace: 'true',
  },
  {
    name: 'read-redis-behind-t',
    does: 'takes a state of the index that is older than what memory begins with (R7)',
    project: 'order-journal',
    file: 'journal/journal-view.js',
    find: 'return (marker ?? low - 1n) >= from - 1n;',
    replace: 'return true;',
  },
  {
    name: 'forget-before-t-moves',
    does: 'lets orders leave memory without raising the offset that the index must have reached (R7)',
    project: 'order-journal',
    file: 'journal/journal-view.js',
    find: 'tailed.from = marker + 1n;',
    replace: ';',
    also: [
      {
        file: 'journal/journal-view.js',
        find: 'lastOffset < (this.#tailed.get(journalPartition(key))?.from ?? 0n)',
        replace: 'lastOffset <= (markers.get(journalPartition(key)) ?? -1n)',
      },
    ],
  },
  {
    name: 'doubt-reopens-its-operation',
    does: 'takes a doubt closed as not executed for leave to try again (R4)',
    project: 'order-journal',
    file: 'state/transitions.js',
    find: "if (operation.phase === 'in_doubt') {",
    replace: 'if (false) {',
  },
  {
    name: 'not-executed-of-an-old-token',
    does: 'closes an attempt for a NOT_EXECUTED or OUTCOME with another token (R4)',
    project: 'order-journal',
    file: 'state/fold.js',
    find: 'operation?.token === record.token && operation.attempt === record.attempt',
    replace: 'operation !== undefined',
  },
  {
    name: 'tag-without-attempt',
    does: 'takes evidence of an earlier attempt for evidence of the current one (R8)',
    project: 'order-journal',
    file: 'state/evidence-source.js',
    find: 'attempt ?? tag?.attempt ?? bound?.attempt',
    replace: 'attempt ?? bound?.attempt',
  },
  {
    name: 'untagged-evidence-guesses',
    does: 'gives evidence without a tag to the first attempt that could be its source (R8)',
    project: 'order-journal',
    file: 'state/fold-evidence.js',
    find: 'if (sources.length !== 1 ||',
    replace: 'if (sources.length < 1 ||',
  },
  {
    name: 'two-payments-untold',
    does: 'says nothing where a superseded payment and the one in its place both succeed',
    project: 'order-journal',
    file: 'state/transitions.js',
    find: 'if (!others.some((other) => hasTaken(next.order, other)))',
    replace: 'if (true)',
  },
  {
    name: 'two-open-operations',
    does: 'grants an INTENT although another operation of the order is open',
    project: 'order-journal',
    file: 'state/guards.js',
    find: 'if (others.some(isOpen))',
    replace: 'if (false)',
  },
  {
    name: 'doubt-holds-nothing-back',
    does: 'grants an INTENT although another operation of the order is in doubt',
    project: 'order-journal',
    file: 'state/guards.js',
    find: 'if (others.some((other) => isInDoubt(other) && !givesWay(order, other, intent)))',
    replace: 'if (false)',
  },
  {
    name: 'rules-of-the-process',
    does: 'judges by the rules version that this process writes instead of the one of the records (R9)',
    project: 'order-journal',
    file: 'journal/journal-view.js',
    find: "this.#cache.apply(key ?? '', offset, record, recordHash(value));",
    replace:
      "this.#cache.apply(key ?? '', offset, { ...record, rulesVersion: this.parts.rulesVersion }, recordHash(value));",
    profile: 'edges',
  },
  {
    name: 'no-version-floor',
    does: 'judges a record by its own version, though its order holds a higher one (R9)',
    project: 'order-journal',
    file: 'state/fold.js',
    find: 'Math.max(order.rulesVersion ?? RULES_VERSION, record.rulesVersion)',
    replace: 'record.rulesVersion',
    also: [{ file: 'state/fold.js', find: 'if (rulesVersion !== RULES_VERSION)', replace: '' }],
    profile: 'edges',
  },
  {
    name: 'seen-by-offset-only',
    does: 'names what a record rests on by an offset, which is another one in a journal that was moved (R10)',
    project: 'order-journal',
    file: 'state/history.js',
    find: 'history ?? lastOffset;',
    replace: 'lastOffset;',
    also: [{ file: 'state/fold.js', find: "hasRule(order, 'history')", replace: 'false' }],
    profile: 'edges',
  },
  {
    name: 'event-ids-of-the-place',
    does: 'makes event ids of the offset, which is another one in a journal that was moved (R10)',
    project: 'order-journal',
    file: 'projection/published-event.js',
    find: 'record === undefined ?',
    replace: 'true ?',
    profile: 'edges',
  },
  {
    name: 'sequence-without-epoch',
    does: 'leaves the epoch of the journal out of the sequence of events (R10)',
    project: 'order-journal',
    file: 'projection/published-event.js',
    find: 'sequenceOf(BigInt(event.offset), epoch)',
    replace: 'sequenceOf(BigInt(event.offset), 0)',
    profile: 'edges',
  },
  {
    name: 'carried-without-a-match',
    does: 'takes a state that was carried over although the order moved on (R12)',
    project: 'order-journal',
    file: 'state/carried.js',
    find: "match === 'other' ||",
    replace: '',
    profile: 'edges',
  },
  {
    name: 'carried-is-inert',
    does: 'leaves the order as it is where its state was carried over (R12)',
    project: 'order-journal',
    file: 'state/carried.js',
    find: 'return unpack(record, after.lastOffset, hash);',
    replace: 'return after;',
    profile: 'edges',
  },
  {
    name: 'forgotten-at-any-age',
    does: 'forgets an order however young it is (R12)',
    project: 'order-journal',
    file: 'state/fold-time.js',
    find: 'return isOldEnough(',
    replace: 'return true || isOldEnough(',
    profile: 'edges',
  },
  {
    name: 'refund-of-what-it-names',
    does: 'lets a refund name an authorization',
    project: 'order-journal',
    file: 'state/guards.js',
    find: "return rejected('not_a_capture'",
    replace: "void rejected('not_a_capture'",
    profile: 'edges',
  },
  {
    name: 'other-amounts-unsafe',
    does: 'counts money taken as the larger of the amounts that were said (R15)',
    project: 'order-journal',
    file: 'state/order-state.js',
    find: 'Math.min(amount, ...otherAmounts)',
    replace: 'Math.max(amount, ...otherAmounts)',
    profile: 'edges',
  },
  {
    name: 'expiry-frees-the-order',
    does: 'takes the end by our own timer for one of the interface: another payment is granted beside it (R15)',
    project: 'order-journal',
    file: 'state/fold-time.js',
    find: 'isEndedByInterface(operation) ? undefined : true',
    replace: 'undefined',
    profile: 'edges',
  },
  {
    name: 'timer-goes-off-early',
    does: 'ends what waits at the word of a timer, however long it has waited (R15)',
    project: 'order-journal',
    file: 'state/fold-time.js',
    find: 'if (!(ageMs >=',
    replace: 'if (false && !(ageMs >=',
    profile: 'edges',
  },
  {
    name: 'not-executed-ends-what-waits',
    does: 'takes "not executed" for true of a payment whose form or approval the platform told of (R15)',
    project: 'order-journal',
    file: 'state/fold-evidence.js',
    find: "else if (result === 'not_executed' && hasRule(next.order, 'waitingEnds'))",
    replace:
      "else if (result === 'not_executed') endNotExecuted(next, operation, reported.origin, reported.answer); else if (false)",
    profile: 'edges',
  },
  {
    name: 'operator-at-any-time',
    does: 'counts an operator’s word on what waits before a day has passed (R15)',
    project: 'order-journal',
    file: 'state/fold-evidence.js',
    find: 'Date.parse(at) >= operatorFromMs(operation)',
    replace: 'true',
    profile: 'edges',
  },
  {
    name: 'doubt-superseded-without-permission',
    does: 'lets any doubtful authorization be superseded that is named, though it may have succeeded without a form',
    project: 'order-journal',
    file: 'state/superseded.js',
    find: '&& supersedesDoubt === true',
    replace: '',
    profile: 'edges',
  },
  {
    name: 'form-of-the-superseded-shown',
    does: 'publishes the form of a doubtful authorization whose place another one took',
    project: 'order-journal',
    file: 'state/transitions.js',
    find: "result === 'redirect' && isDoubtSuperseded(next.order, operation)",
    replace: 'false',
    profile: 'edges',
  },
  {
    name: 'other-currency-untold',
    does: 'says nothing where the platform names another currency than the order’s',
    project: 'order-journal',
    file: 'state/transaction-details.js',
    find: 'otherCurrency === undefined ||',
    replace: 'true ||',
    profile: 'edges',
  },
  {
    name: 'events-given-up-after-a-failed-publish',
    does: 'counts events as published before they were',
    project: 'order-journal',
    file: 'projection/project-batch.js',
    find: 'await outlet.publish(events);',
    replace: 'progress.publishFrom = later(publishFrom, last.offset + 1n); await outlet.publish(events);',
  },
  {
    name: 'index-before-events',
    does: 'moves the index, and so the outbox, before its events are published',
    project: 'order-journal',
    file: 'projection/project-batch.js',
    find: 'await outlet.publish(events);',
    replace:
      'await index.write({ partition, from: next - 1n, to: last.offset, orders: [...orders.values()], redirectHtml }); progress.next = last.offset + 1n; await outlet.publish(events); return;',
  },
  {
    name: 'marker-recreated-after-a-flush',
    does: 'gives a flushed index its marker back without building it from the journal (R7)',
    project: 'order-journal',
    file: 'projection/index-rebuild.js',
    find: 'const from = await journal.firstKept(partition);',
    replace: 'await journal.firstKept(partition); const from = until;',
  },
  {
    name: 'progress-shared-by-assignments',
    does: 'lets an assignment that has ended write the progress of its successor in the projector',
    project: 'order-journal',
    file: 'projection/projector.js',
    find: 'this.#assigned.get(partition)?.end();\n        const projection =',
    replace:
      'signal = { aborted: false, throwIfAborted: () => undefined };\n        const projection = this.#assigned.get(partition) ??',
    profile: 'rough',
  },
  {
    name: 'progress-shared-and-nothing-missed',
    does: 'the same, and projects a batch though records before it were never projected',
    project: 'order-journal',
    file: 'projection/projector.js',
    find: 'this.#assigned.get(partition)?.end();\n        const projection =',
    replace:
      'signal = { aborted: false, throwIfAborted: () => undefined };\n        const projection = this.#assigned.get(partition) ??',
    also: [{ file: 'projection/partition-projection.js', find: 'if (begin > progress.next)', replace: 'if (false)' }],
    profile: 'rough',
  },
  {
    name: 'auditor-believes-the-index',
    does: 'compares sampled orders with the journal and finds every one alike',
    project: 'order-journal',
    file: 'projection/index-auditor.js',
    find: 'if (!folded || !indexed)',
    replace: 'return true; if (!folded || !indexed)',
  },
  {
    name: 'auditor-only-tells',
    does: 'says that the index is wrong and leaves it as it is',
    project: 'order-journal',
    file: 'projection/index-auditor.js',
    find: 'await projection.repair((until) => audit.states(differing, until));',
    replace: ';',
  },
  {
    name: 'rebuild-of-what-has-a-marker',
    does: 'takes an index with a marker for a right one and does not rebuild it',
    project: 'order-journal',
    file: 'projection/index-restorer.js',
    find: 'if (mark === undefined)',
    replace: 'if (true)',
  },
  {
    name: 'absence-unproved',
    does: 'takes an order that the index has lost for one that was never seen (R14)',
    project: 'order-journal',
    file: 'projection/index-marker.js',
    find: 'counts !== found',
    replace: 'false',
    profile: 'losses',
  },
  {
    name: 'anything-is-a-state',
    does: 'takes whatever stands in the index for the state of its order',
    project: 'order-journal',
    file: 'projection/stored-order.js',
    find: 'return isOurs &&',
    replace: 'return true || isOurs &&',
    profile: 'losses',
  },
  {
    name: 'commit-before-the-journal',
    does: 'counts a record as finished when its handler starts',
    project: 'kafka',
    file: 'consume/key-ordered-work.js',
    find: 'this.runningCount++;',
    replace: 'this.runningCount++; this.frontier.finish(lane.waiting[0].place); this.assignment.progress();',
  },
  {
    name: 'finished-when-abandoned',
    does: 'counts a record as finished whose handler gave up',
    project: 'kafka',
    file: 'consume/key-ordered-work.js',
    find: "if (result === 'done')",
    replace: 'if (true)',
  },
  {
    name: 'keys-in-no-order',
    does: 'runs records of one key side by side',
    project: 'kafka',
    file: 'consume/key-ordered-work.js',
    find: 'const key = record.rawKey === null ?',
    replace: 'const key = true ?',
  },
  {
    name: 'forget-the-epoch',
    does: 'goes on committing partitions of an assignment that has ended',
    project: 'kafka',
    file: 'consume/group-work.js',
    find: 'this.current = new Map();\n        this.draining = undefined;',
    replace: 'this.draining = undefined;',
  },
  {
    name: 'metadata-names-one-too-low',
    does: 'reads the finished offsets above the frontier one too low, and skips a record that is not',
    project: 'kafka',
    file: 'consume/gap-metadata.js',
    find: 'finished.add(frontier + 1n + BigInt(bit));',
    replace: 'finished.add(frontier + BigInt(bit));',
  },
  {
    name: 'frontier-of-the-last-delivered',
    does: 'moves the frontier behind the last record delivered instead of the first that is open',
    project: 'kafka',
    file: 'consume/frontier.js',
    find: 'this.reached = this.delivered[this.firstOpen]?.offset ?? this.lastDelivered + 1n;',
    replace: 'this.reached = this.lastDelivered + 1n;',
  },
];

/** Every change of a mutant, each with its name. */
export const changesOf = ({ name, file, find, replace, also = [] }: Mutant): (PlantedText & Change)[] =>
  [{ file, find, replace }, ...also].map((change) => ({ name, ...change }));

export function findMutant(name: string): Mutant {
  const mutant = MUTANTS.find((one) => one.name === name);
  if (!mutant) throw new Error(`no mutant is named ${name}`);
  return mutant;
}
