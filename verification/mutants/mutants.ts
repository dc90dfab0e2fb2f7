import type { ProfileName } from '../simulation/profile.js';
import type { PlantedText } from './planted.js';

interface Change {
  find: string;
  replace: string;
}

export interface Mutant extends Change {
  name: string;
  does: string;
  /** Project and compiled file. `verification` is the simulation's copy of what the service does in an application. */
  file: string;
  /** A second change of the file, if another line of defence catches the bug alone. */
  also?: Change;
  /** Worlds in which the bug shows, if plain ones show it too rarely. */
  profile?: ProfileName;
}

const executor = { file: 'order-journal/execution/command-executor.js' } as const;
const work = { file: 'kafka/core/key-ordered-work.js' } as const;
const group = { file: 'kafka/core/group-work.js' } as const;
const owner = { file: 'order-journal/partition/partition-owner.js', profile: 'moves' } as const;
const appendIntent = 'const { after, verdict } = await journal.appendIntent(intent, trace);';
const placed = { ...owner, file: 'order-journal/partition/placed-partition.js' } as const;
const publish = 'await this.#untilDone(() => parts.events.publish(batch.events));';

/**
 * Bugs of the protocol that a maintainer could make, in the order in which a command meets them, planted in the real compiled code: the
 * simulation must find every one. `npm run mutation` changes the fold and the owner expression by expression, for the unit tests.
 */
export const MUTANTS: readonly Mutant[] = [
  // The call.
  {
    ...executor,
    name: 'send-before-the-acknowledgement',
    does: 'calls while its INTENT is still on the way to the journal',
    find: appendIntent,
    replace:
      "void journal.append(intent).catch(() => undefined); return { token, verdict: 'granted', started, after: order };",
  },
  {
    ...executor,
    name: 'skip-the-read-back',
    does: 'takes the acknowledged INTENT for a grant and does not ask the fold (R3; 1 and 6 of 0120)',
    find: appendIntent,
    replace: "await journal.append(intent); return { token, verdict: 'granted', started, after: order };",
  },
  {
    ...executor,
    name: 'no-send-deadline',
    does: 'calls however long ago it asked (R5)',
    find: 'isWithinSendDeadline(started, clock.readClocks())',
    replace: 'true',
  },
  {
    ...executor,
    name: 'timeout-is-not-executed',
    does: 'takes a missing answer for "not executed" and tries again (R4)',
    find: 'token }, result)',
    replace:
      "token }, result.reason === 'timeout' ? { record: 'NOT_EXECUTED', reason: 'unreachable', message: '' } : result)",
  },
  {
    ...executor,
    name: 'retry-on-5xx',
    does: 'takes an HTTP 5xx for "not executed" and tries again (R4)',
    find: 'token }, result)',
    replace:
      "token }, result.reason === 'http_status' ? { record: 'NOT_EXECUTED', reason: 'unreachable', message: '' } : result)",
  },
  // The group.
  {
    ...work,
    name: 'commit-before-the-journal',
    does: 'counts a record as finished when its handler starts',
    find: 'this.runningCount++;',
    replace: 'this.runningCount++; this.frontier.finish(lane.waiting[0].delivery); this.assignment.progress();',
  },
  {
    ...work,
    name: 'keys-in-no-order',
    does: 'runs records of one key side by side',
    find: 'const key = record.rawKey === null ?',
    replace: 'const key = true ?',
  },
  {
    ...group,
    name: 'forget-the-epoch',
    does: 'goes on committing partitions of an assignment that has ended (1 of 0120)',
    find: 'this.current = new Map();\n        this.draining = undefined;',
    replace: 'this.draining = undefined;',
  },
  {
    file: 'kafka/core/sticky-plan.js',
    name: 'number-at-two-members',
    does: 'gives the topics of one number to different members: two owners of an order (6 of 0120)',
    find: 'const numbers = numbersIn(topics);',
    replace: 'return stickyPlan(members, topics); const numbers = numbersIn(topics);',
    profile: 'moves',
  },
  {
    ...group,
    name: 'drains-without-waiting',
    does: 'gives its partitions back while calls are under way and batches are half published (2 of 0120)',
    find: 'await deadline.wait(settled().then(ended));',
    replace: '',
    profile: 'moves',
  },
  {
    file: 'verification/simulation/gateway.js',
    name: 'forwarded-and-executed',
    does: 'executes a command where it lies, and forwards it to the partition of its order (7 of 0120)',
    find: "return this.process.uncertain('forward',",
    replace: "await this.process.uncertain('forward',",
    profile: 'moves',
  },
  // The owner of a partition.
  {
    ...owner,
    name: 'keep-memory',
    does: 'keeps memory when the partition is placed anew (3 of 0120)',
    find: 'this.placed = new PlacedPartition(',
    replace: 'this.placed ??= new PlacedPartition(',
    also: {
      find: 'this.#drop();\n                if (this.stopFor(error))',
      replace: 'if (this.stopFor(error))',
    },
  },
  {
    ...placed,
    name: 'publish-from-commit',
    does: 'projects from the commit on, and does not restore an index that is older (4 of 0120)',
    find: 'this.position = this.#next = this.#indexed = this.#covers = place.mark.marker + 1n;',
    replace:
      'const behind = place.mark.marker + 1n; this.position = this.#next = this.#indexed = this.#covers = behind > place.publishFrom ? behind : place.publishFrom;',
  },
  {
    ...placed,
    name: 'commit-first',
    does: 'lets the group commit before the events are published (5 of 0120)',
    find: publish,
    replace: `owner.afterPublished(batch.to + 1n); ${publish}`,
  },
  {
    ...placed,
    name: 'index-first',
    does: 'writes the index before its events are published (5 of 0120)',
    find: publish,
    replace: `await this.#untilDone(async () => this.#write(batch)); ${publish}`,
    also: { find: 'await this.#untilDone(() => this.#write(batch));', replace: ';' },
  },
  {
    ...placed,
    name: 'no-cas',
    does: 'writes the index whatever its marker is (R7; 1 of 0120)',
    // Older copies of the index are put back in these worlds. A former owner seldom writes in those of `moves`, since a drain ends its work.
    profile: 'edges',
    find: 'return this.parts.index.write({ partition, from: this.#next - 1n, to, hash, orders, redirectHtml });',
    replace:
      'return this.parts.index.readTogether(partition, []).then(({ marker }) => this.parts.index.write({ partition, from: marker ?? this.#next - 1n, to, hash, orders, redirectHtml }));',
  },
  {
    ...owner,
    file: 'order-journal/partition/owned-journal.js',
    name: 'keeps-nothing-across-joins',
    does: 'makes a new owner at each join: a rebuild or a doubt that takes longer than from join to join never ends',
    find: 'return known;',
    replace: ';',
    profile: 'joins',
  },
  {
    ...placed,
    name: 'repeats-what-can-not-be-read',
    does: 'places anew for ever where a record can not be read, and stops nothing (R2)',
    find: 'if (this.owner.stopFor(error))\n                    return;',
    replace: "return this.#surprisedBy(new MarkerMovedError('again'));",
    profile: 'broken',
  },
  {
    ...placed,
    name: 'leaves-out-what-can-not-be-read',
    does: 'goes on behind a record that can not be read as if it were not there (R2)',
    find: 'if (this.owner.stopFor(error))\n                    return;',
    replace: 'continue;',
    profile: 'broken',
  },
  {
    file: 'kafka/core/work-standing.js',
    name: 'never-leaves',
    does: 'keeps the partitions of a process that cannot work while another one can (0104)',
    find: 'this.#canWork = !this.#canWork;',
    replace: ';',
    profile: 'cut',
  },
  // People.
  {
    file: 'order-journal/state/fold.js',
    name: 'believes-what-was-seen-earlier',
    does: 'counts what people say of an order that has moved since they looked (0102)',
    find: "if (change.match === 'other')\n        return { verdict: 'stale'",
    replace: "if (false)\n        return { verdict: 'stale'",
    profile: 'stale',
  },
  {
    file: 'order-journal/state/fold.js',
    name: 'settles-what-was-seen-earlier',
    does: 'counts what people state of a conflict though its order has moved since they looked (0107)',
    find: 'const judged = judgeSaid(change, record, settlements,',
    replace: "const judged = judgeSaid({ ...change, match: 'whole' }, record, settlements,",
    profile: 'settled',
  },
  {
    file: 'order-journal/state/settlement.js',
    name: 'one-person-settles',
    does: 'counts what one person alone states of a conflict (0107)',
    find: 'if (record.approvedBy === record.actor)',
    replace: 'if (false)',
    profile: 'settled',
  },
  {
    file: 'order-journal/state/guards.js',
    name: 'refunds-what-was-given-back',
    does: 'takes nothing that people gave back elsewhere off what may be refunded (0107)',
    find: '...repairs.map(({ amount }) => amount)',
    replace: '',
    profile: 'settled',
  },
  // Lost data, and clocks.
  {
    file: 'order-journal/projection/index-rebuild.js',
    name: 'marker-recreated-after-a-flush',
    does: 'gives a flushed index its marker back without building it from the journal (R7)',
    find: 'const from = await journal.firstKept(partition);',
    replace: 'await journal.firstKept(partition); const from = until;',
  },
  {
    file: 'order-journal/partition/placement.js',
    name: 'starts-with-a-changed-log',
    does: 'begins behind the marker of an index that the journal does not hold (R11; 4 of 0120)',
    find: 'offset === mark.marker && recordHash(value) === mark.hash',
    replace: 'true',
    profile: 'anew',
  },
  {
    file: 'order-journal/recovery/recovery-record.js',
    name: 'repeats-at-a-new-time',
    does: 'takes a command for a new one that is published again after a resume, with the id of before (R11)',
    find: 'this.#ids.add(command);',
    replace: ';',
    profile: 'anew',
  },
  {
    file: 'verification/simulation/world.js',
    name: 'resume-leaves-the-commit',
    does: 'does not read the notifications of a resumed partition again (R11)',
    find: 'notificationGroup.resetTo({ topic: notifications.name, partition }, 0n);',
    replace: ';',
    profile: 'anew',
  },
  {
    file: 'order-journal/timers/agreed-clock.js',
    name: 'believes-a-date-set-back',
    does: 'writes the date of the machine into records, until Redis is asked the next time (R5)',
    find: 'Math.max(dateMs, expectedMs)',
    replace: 'dateMs',
    profile: 'clocks',
  },
  {
    file: 'order-journal/timers/timer-watch.js',
    name: 'timers-before-notifications',
    does: 'ends payments by the time of now, while notifications of days wait to be read (0103)',
    find: 'Math.min(nowMs, this.notifications.untilMs(partition))',
    replace: 'nowMs',
    profile: 'days',
  },
];

export function findMutant(name: string): Mutant {
  const mutant = MUTANTS.find((one) => one.name === name);
  if (!mutant) throw new Error(`no mutant is named ${name}; there are ${MUTANTS.map((one) => one.name).join(', ')}`);
  return mutant;
}

/** The changed files of a mutant by their URLs. */
export function textsOf({ name, file, find, replace, also }: Mutant, resolve: Resolve): PlantedText[] {
  const [project, ...path] = file.split('/');
  const entry = project === 'verification' ? process.argv[1] : resolve(`@tranche/${project}`);
  const { href: url } = new URL(path.join('/'), `file://${entry}`);
  return [{ find, replace }, ...(also ? [also] : [])].map((one) => ({ name, url, ...one }));
}

export type Resolve = (packageName: string) => string;
