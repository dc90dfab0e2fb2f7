import { randomUUID } from 'node:crypto';
import {
  matches,
  seededRandom,
  type CallFault,
  type FaultMatch,
  type FaultRule,
  type NotificationFault,
  type Subject,
} from './fault-rules.js';

interface ActiveRule extends FaultRule {
  readonly id: string;
  readonly random: () => number;
  callsStruck: number;
  notificationsStruck: number;
}

/** The active fault rules. The first rule that matches and is due applies. */
export class Faults {
  private rules: ActiveRule[] = [];

  add(rule: FaultRule): string {
    const id = randomUUID();
    this.rules.push({
      ...rule,
      id,
      random: seededRandom(rule.match.seed ?? 1),
      callsStruck: 0,
      notificationsStruck: 0,
    });
    return id;
  }

  list() {
    return this.rules.map(({ id, match, fault, callsStruck, notificationsStruck }) => ({
      id,
      match,
      fault,
      callsStruck,
      notificationsStruck,
    }));
  }

  remove(id: string): void {
    this.rules = this.rules.filter((rule) => rule.id !== id);
  }

  clear(): void {
    this.rules = [];
  }

  ofCall(subject: Subject): CallFault | undefined {
    return this.firstOf(subject, ({ fault }) => hasCallFault(fault) && fault.resetWhileReading !== true);
  }

  /** True if a rule resets this call before its body is read. Only the operation `process` is known then. */
  strikesUnread(): boolean {
    return this.firstOf({ operation: 'process' }, ({ fault }) => fault.resetWhileReading === true) !== undefined;
  }

  ofNotification(subject: Subject): NotificationFault | undefined {
    for (const rule of this.rules) {
      if (rule.fault.notification === undefined || !strikes(rule, rule.match, rule.notificationsStruck, subject))
        continue;
      rule.notificationsStruck += 1;
      return rule.fault.notification;
    }
    return undefined;
  }

  private firstOf(subject: Subject, isMeant: (rule: FaultRule) => boolean): CallFault | undefined {
    for (const rule of this.rules) {
      if (!isMeant(rule) || !strikes(rule, rule.match, rule.callsStruck, subject)) continue;
      rule.callsStruck += 1;
      return rule.fault;
    }
    return undefined;
  }
}

const hasCallFault = (fault: FaultRule['fault']) => Object.keys(fault).some((name) => name !== 'notification');

function strikes({ random }: ActiveRule, match: FaultMatch, struck: number, subject: Subject): boolean {
  if (!matches(match, subject) || (match.times !== undefined && struck >= match.times)) return false;
  return match.probability === undefined || random() < match.probability;
}
