import { causeText, type Fault, type Rail, type WaitingCommands } from '@tranche/contracts';
import type { RailStop } from './rail-of-gateway.js';
import { placeText, type CommandStory, type SeenEvent } from './command-story.js';

/**
 * - `never_arrived`: on no command topic of this environment, in the time that was read
 * - `signature_refused`, `dead_letter`: not executed, and no event was published, or a rejection only
 * - `waiting`: no gateway has handled it yet
 * - `no_event`: handled, and its event is not published yet, or was before the time that was read
 * - `rejected`: an event lists the faults; nothing was executed
 * - `in_doubt`: the call may have been executed
 * - `done`: an event has the result
 */
type FindVerdict =
  'never_arrived' | 'signature_refused' | 'dead_letter' | 'waiting' | 'no_event' | 'rejected' | 'in_doubt' | 'done';

/** Progress of the gateways on the partition of the command's newest copy. */
export interface GatewayPosition {
  isHandled: boolean;
  /** Records of the partition before it that are not handled. */
  ahead: bigint;
  gateways: number;
  /** Time of the oldest record that is not handled, milliseconds since the epoch. */
  oldestMs?: number | undefined;
  rail?: Rail;
  /** Everything that waits on the topic. */
  waiting?: WaitingCommands;
  /** Null where the gateway that was asked has not stopped the rail; absent where none answered. */
  stop?: RailStop | null | undefined;
}

export interface Found {
  verdict: FindVerdict;
  /** One sentence for people. */
  says: string;
  next: string;
  faults: Fault[];
}

/** From then on a record that is not handled is no ordinary wait. The alert `TrancheRecordsWait` counts the same. */
const LONG_MS = 120_000;

interface Searched {
  /** Names with prefix. */
  topics: readonly string[];
  brokers: readonly string[];
  since: string;
  nowMs: number;
}

/** Returns the reason why a sender hears nothing of a command, or the event that it should have heard. */
export function verdictOf(story: CommandStory, position: GatewayPosition | undefined, searched: Searched): Found {
  const results = story.events.filter(({ type }) => type !== 'payment.command.rejected');
  const last = results.at(-1) ?? story.events.at(-1);
  if (last !== undefined) return ofEvent(last);
  const letter = story.letters.at(-1);
  if (letter !== undefined) return ofLetter(letter);
  const copy = story.copies.at(-1);
  if (copy === undefined) return neverArrived(searched);
  if (position !== undefined && !position.isHandled) return waiting(position, searched.nowMs);
  const isLate = searched.nowMs - copy.timestampMs > LONG_MS;
  return {
    verdict: 'no_event',
    says: `a gateway has taken the command, and there is no event of it since ${searched.since}`,
    next: isLate
      ? 'a copy of a command that was answered earlier: read from an earlier time with --since. Otherwise publication stands still: `tranche journal status`, and the alert TrancheIndexBehind'
      : 'wait some seconds, and ask again',
    faults: [],
  };
}

const NEXT_OF_EVENT: Readonly<Record<string, string>> = {
  redirect_required: 'show the page redirectHtml; the result follows when the customer has filled the form in',
  pending: 'wait: the platform decides later, and the result is an event then',
  expired: 'nothing was paid; a new command may pay the order',
  refused: 'execCode of the event is the platform’s reason; a new command may try again',
};
const NEXT_OF_CONSUMER = 'if its consumer has not got it: --group NAME shows whether that group has read so far';

function ofEvent(event: SeenEvent): Found {
  const ending = event.type.split('.').at(-1) ?? '';
  const at = `${event.type} was published at ${event.at} (${placeText(event)})`;
  if (ending === 'rejected') {
    const next = 'correct the faults and publish it with a new id; nothing was executed';
    return { verdict: 'rejected', says: `the command was rejected: ${at}`, next, faults: event.faults };
  }
  if (ending === 'in_doubt') {
    const next =
      'do not publish it again: the call may have been executed. docs/operate/runbook.md, "An operation is in doubt"';
    return { verdict: 'in_doubt', says: `the operation is in doubt: ${at}`, next, faults: [] };
  }
  const next = NEXT_OF_EVENT[ending];
  return {
    verdict: 'done',
    says: at,
    next: next === undefined ? NEXT_OF_CONSUMER : `${next}; ${NEXT_OF_CONSUMER}`,
    faults: [],
  };
}

function ofLetter({ code, message, kid, at }: CommandStory['letters'][number]): Found {
  if (code === 'signature_refused') {
    const key = kid === undefined ? 'no key id' : `key id ${kid}`;
    return {
      verdict: 'signature_refused',
      says: `its signature was refused at ${at}: ${message}, ${key}. Nothing was executed, and no event is published: anybody may have written it`,
      next: 'check what the publisher sends: kcat -C -J of the record, or its file, into `tranche commands check -`',
      faults: [],
    };
  }
  return {
    verdict: 'dead_letter',
    says: `it went to the dead letters at ${at}: ${code}, ${message}. Nothing was executed`,
    next: NEXT_OF_LETTER[code] ?? 'docs/operate/runbook.md, "Alarm: records went to the dead letters"',
    faults: [],
  };
}

const NEXT_OF_LETTER: Readonly<Record<string, string>> = {
  unreadable: 'correct the publisher: `tranche commands check` lists every fault. Then publish it with the same id',
  journal_resumed: 'its attempt may be lost: look at the platform, and publish it with a new id if it was not executed',
  too_large_to_forward: 'set partitioner=murmur2_random in the publisher, and publish it again with the same id',
};

function neverArrived({ topics, brokers, since }: Searched): Found {
  return {
    verdict: 'never_arrived',
    says: `it never arrived in this environment: no record of it on ${topics.join(', ')} at ${brokers.join(', ')} since ${since}`,
    next: 'compare brokers and topic, with its prefix, with those of the publisher; look at what its producer answered; read from an earlier time with --since',
    faults: [],
  };
}

function waiting(position: GatewayPosition, nowMs: number): Found {
  const { ahead, gateways, oldestMs, rail, stop } = position;
  const oldest = oldestMs === undefined ? '' : `, the oldest since ${new Date(oldestMs).toISOString()}`;
  const isStill = oldestMs !== undefined && nowMs - oldestMs > LONG_MS;
  const next =
    gateways === 0
      ? 'start payment-gateway: its group has no member'
      : isStill
        ? `the partition stands still${stop === undefined ? ' or its rail is stopped (GET /v1/rails, or --gateway)' : ''}: \`tranche journal status\`, and docs/operate/runbook.md, "Alarm: a record waits"`
        : `wait: gateways handle the partition${stop === undefined ? '. No gateway answered at --gateway: GET /v1/rails on its management port says if the rail is stopped' : ''}`;
  const all = waitingText(position);
  if (stop && gateways > 0) {
    const nextTry = stop.nextTryMs === undefined ? 'with the next command' : `at ${isoOf(stop.nextTryMs)}`;
    return {
      verdict: 'waiting',
      says: `it waits, nothing was executed: its rail ${rail} is stopped since ${isoOf(stop.sinceMs)}, because ${causeText(stop.cause)}; tried again ${nextTry}${all}`,
      next: 'do not publish it again: it is tried when the platform answers. docs/operate/runbook.md, "Alarm: a rail is stopped"',
      faults: [],
    };
  }
  return {
    verdict: 'waiting',
    says: `it waits, nothing was executed: ${ahead} records of its partition before it are not handled${oldest}; gateways at work: ${gateways}${all}`,
    next,
    faults: [],
  };
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

function waitingText({ rail, waiting: all }: GatewayPosition): string {
  if (rail === undefined || all === undefined) return '';
  const { commands, money, withoutAmount, isMoneyWhole } = all;
  const sums = money.map(
    ({ currency, amount }) => `${amount} ${currency === 'not_named' ? "in their orders' currencies" : currency}`,
  );
  const whole = [...sums, ...(withoutAmount > 0 ? [`${withoutAmount} without an amount`] : [])].join(', ');
  return `. Waiting on rail ${rail} in all: ${commands} commands (${isMoneyWhole ? '' : 'the first of them: '}${whole}; minor units)`;
}
