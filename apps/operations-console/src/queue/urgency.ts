/** Says if an entry of the queue can wait until morning. */
import type { AttentionItem } from '../api/reads.js';
import { duration, moment } from '../text/format.js';
import { canEndIt, timerInWords } from '../text/words.js';

/** A decision that is due later than this waits until morning. */
export const NIGHT_MS = 6 * 3_600_000;

interface Timer {
  what: string;
  at: string;
}

/** Facts of an entry, by its kind. */
export interface About {
  operation?: string;
  commandId?: string;
  phase?: string;
  reason?: string;
  reasons?: string[];
  message?: string;
  reports?: number;
  /** Amounts of a conflict, if reports give several. */
  amounts?: number[];
  blocks?: string;
  byItself?: Timer[];
  why?: string;
  proposedBy?: string;
  scope?: string;
  by?: string;
  expiresAt?: string;
  rail?: string;
  says?: string;
  nextTryAt?: string;
  waiting?: { commands: number };
  conflictIds?: string[];
  topic?: string;
  partition?: number;
}
export const aboutOf = ({ about }: Pick<AttentionItem, 'about'>): About => about;

/**
 * now: it must be decided tonight. later: a person must decide it, and not tonight. self: something that may end it comes first, without a
 * person.
 */
type Urgency = 'now' | 'later' | 'self';

export function urgencyOf(item: Pick<AttentionItem, 'kind' | 'actBy' | 'about'>, nowMs: number): Urgency {
  const { kind, actBy } = item;
  const dueMs = actBy === undefined ? Infinity : Date.parse(actBy);
  const ends = (aboutOf(item).byItself ?? []).find(({ what }) => canEndIt(what));
  const endsMs = ends === undefined ? Infinity : Date.parse(ends.at);
  if (kind === 'partition') return 'now';
  // A rail tries again by itself; nothing of it was executed.
  if (kind === 'rail' || aboutOf(item).expiresAt !== undefined) return 'self';
  if (endsMs < dueMs && endsMs > nowMs) return 'self';
  return dueMs - nowMs < NIGHT_MS ? 'now' : 'later';
}

interface Verdict {
  tone: 'grave' | 'wait' | 'good';
  says: string;
  more: string;
}

/** One sentence for a person who was woken. `further`: entries that are on later pages, and so not known here. */
export function verdictOf(items: readonly AttentionItem[], nowMs: number, further = 0): Verdict {
  const by = (urgency: Urgency) => items.filter((item) => urgencyOf(item, nowMs) === urgency);
  const [now, later, self] = [by('now'), by('later'), by('self')];
  const rest = [
    ...(later.length > 0 ? [`${later.length} can wait until morning`] : []),
    ...(self.length > 0 ? [`${self.length} may end without a person`] : []),
  ].join(', ');
  if (now.length > 0) {
    const due = now.flatMap(({ actBy }) => actBy ?? []).sort()[0];
    const when = due === undefined ? '' : `, the first within ${duration(Math.max(0, Date.parse(due) - nowMs))}`;
    return { tone: 'grave', says: `Yes: ${now.length} must be decided tonight${when}.`, more: rest && `${rest}.` };
  }
  if (further > 0) {
    const says = `None of the ${items.length} most urgent must be decided tonight.`;
    return { tone: 'wait', says, more: `${rest}. ${further} more are on the next pages, and not looked at.` };
  }
  if (items.length === 0) return { tone: 'good', says: 'No. Nothing needs a person.', more: '' };
  const next = later.flatMap(({ actBy }) => actBy ?? []).sort()[0];
  const due = next === undefined ? '' : ` The next decision is due ${moment(next, nowMs)}.`;
  return { tone: 'wait', says: 'No: nothing must be decided tonight.', more: `${rest}.${due}` };
}

/** The next thing that happens to an entry without a person, soonest first. */
export function byItselfOf(item: AttentionItem, nowMs: number): { says: string; at?: string } {
  const about = aboutOf(item);
  const next = (about.byItself ?? []).find(({ at }) => Date.parse(at) > nowMs - 60_000);
  if (next !== undefined) {
    const mayEnd = item.kind === 'doubt' && !canEndIt(next.what) ? 'a notification may end it; ' : '';
    return { says: mayEnd + timerInWords(next.what), at: next.at };
  }
  if (item.kind === 'rail') return about.nextTryAt === undefined ? { says: 'the next command is tried' } : { says: 'it is tried again', at: about.nextTryAt }; // prettier-ignore
  if (item.kind === 'control' && about.expiresAt !== undefined) return { says: 'it goes on', at: about.expiresAt };
  if (item.kind === 'proposal')
    return item.actBy === undefined ? { says: 'nothing' } : { says: 'it lapses', at: item.actBy };
  if (item.kind === 'doubt') return { says: 'a notification may still end it' };
  return { says: 'nothing' };
}
