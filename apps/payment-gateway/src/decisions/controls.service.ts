import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  CONTROL_SCOPE_PATTERN,
  CONTROL_TYPE,
  encodeCloudEvent,
  isTimestamp,
  RAILS,
  TOPICS,
  topicName,
  type ControlRecord,
  type Rail,
} from '@tranche/contracts';
import { groupMembers } from '@tranche/kafka';
import { assertMerchant, mayAct, type OperatorIdentity } from '@tranche/operators';
import { compact } from '@tranche/runtime';
import { Problem } from '@tranche/service-kit';
import { IsISO8601 } from 'class-validator';
import { Clock, isoTime, RepeatedWork } from '../clock.js';
import { KafkaParts } from '../gateway-kafka.module.js';
import { gatewayGroup, GatewayConfig } from '../gateway.config.js';
import { ControlList, seenKey, type Control, type Interval } from './control.js';
import { FoldedTopic } from './folded-topic.js';
import { given, Reason } from './manual-resolution.js';

export class LiftRequest {
  @Reason()
  reason: string;
}

export class ControlRequest extends LiftRequest {
  /** It ends by itself then. Without it, it lasts until it is lifted. */
  @given('expiresAt')
  @IsISO8601({ strict: true }, { message: 'must be an RFC 3339 time' })
  expiresAt?: string;
}

/** `acknowledged`: every instance that is in the gateways' group has it, so no command of the scope is begun any more. */
export interface ControlView extends Omit<ControlRecord, 'liftedAt' | 'liftedBy'> {
  acknowledged: boolean;
  instances: { acknowledged: number; of: number };
}

/** Stops the intake of a rail or of a merchant: no command is begun, calls under way and all that time brings go on (docs/decisions/0114). */
@Injectable()
export class Controls extends RepeatedWork implements OnApplicationShutdown {
  protected readonly everyMs = 2_000;
  readonly #topicName: string;
  readonly #topic: FoldedTopic<ControlList>;
  #list = new ControlList();
  /** Scopes that are stopped, as the listeners know them. */
  #stopped = '';
  readonly #listeners: (() => void)[] = [];
  #memberId: () => string | undefined = () => undefined;

  constructor(
    private readonly config: GatewayConfig,
    private readonly kafka: KafkaParts,
    private readonly clock: Clock,
  ) {
    super();
    this.#topicName = topicName(config.kafkaTopicPrefix, TOPICS.controls);
    const empty = () => new ControlList();
    this.#topic = new FoldedTopic(kafka, this.#topicName, empty, (list, record) => list.take(record));
    const active = () => this.#list.active(clock.nowMs());
    kafka.metrics.gauge({
      name: 'tranche_intake_stopped_since_seconds',
      help: 'Unix time since which an operator has stopped the commands of a rail or merchant; absent while they are taken',
      labelNames: ['scope'],
      collect() {
        this.reset();
        for (const { scope, since } of active()) this.set({ scope }, Date.parse(since) / 1000);
      },
    });
  }

  /** Must be called before the first command is taken. */
  async load(): Promise<void> {
    this.#list = await this.#topic.current();
    this.#look();
  }

  /** The listener is called at once, and whenever another rail or merchant is stopped, or none any more. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
    listener();
  }

  /** @param memberId id of this instance in the gateways' group; undefined while it is not in it */
  joinAs(memberId: () => string | undefined): void {
    this.#memberId = memberId;
  }

  /** @param merchant undefined: only a stop of the whole rail counts */
  stopOf(rail: Rail, merchant?: string): Control | undefined {
    return this.#list.stopOf(rail, merchant, this.clock.nowMs());
  }

  stops(rail: Rail, merchant: string): Interval[] {
    return this.#list.stops(rail, merchant, this.clock.nowMs());
  }

  async list(operator: OperatorIdentity): Promise<ControlView[]> {
    await this.#available(this.load());
    const own = this.#list.active(this.clock.nowMs()).filter(({ scope }) => isOf(operator, scope));
    return Promise.all(own.map((control) => this.#view(control)));
  }

  /** Stops the scope, or changes reason and end of its stop. */
  async set(scope: string, { reason, expiresAt }: ControlRequest, operator: OperatorIdentity): Promise<ControlView> {
    this.#assertScope(scope, operator);
    const isEnd = expiresAt === undefined || (isTimestamp(expiresAt) && Date.parse(expiresAt) > this.clock.nowMs());
    if (!isEnd) throw notInTheFuture();
    const since = (await this.#found(scope))?.since ?? isoTime(this.clock);
    const ends = expiresAt === undefined ? undefined : new Date(expiresAt).toISOString();
    return this.#write(compact({ scope, reason, by: operator.person, since, expiresAt: ends }));
  }

  /** Takes the commands of the scope again. */
  async lift(scope: string, operator: OperatorIdentity): Promise<ControlView> {
    this.#assertScope(scope, operator);
    const found = await this.#found(scope);
    if (found === undefined)
      throw new Problem({ status: 404, code: 'control_unknown', detail: `Nobody has stopped ${scope}.` });
    const { offset: _, ...control } = found;
    return this.#write({ ...control, liftedAt: isoTime(this.clock), liftedBy: operator.person });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#topic.close();
  }

  /** Never rejects: what could not be read is read in the next run. A stop that expired ends nevertheless. */
  protected async run(): Promise<void> {
    this.#look();
    try {
      await this.load();
      await this.#acknowledge();
    } catch (err) {
      this.kafka.log.debug({ err }, 'The controls could not be read or acknowledged');
    }
  }

  /** Tells the listeners what is stopped, if it changed. */
  #look(): void {
    const active = this.#list.active(this.clock.nowMs());
    const stopped = JSON.stringify(active.map(({ scope }) => scope).sort());
    if (stopped === this.#stopped) return;
    if (this.#stopped !== '' || active.length > 0)
      this.kafka.log.warn({ stopped: active.map(({ scope, by, reason }) => ({ scope, by, reason })) }, 'Operators have changed whose commands are taken'); // prettier-ignore
    this.#stopped = stopped;
    for (const listener of this.#listeners) listener();
  }

  /** Says that this instance has the newest control, and deletes what instances said that are gone. */
  async #acknowledge(): Promise<void> {
    const { seen, newest } = this.#list;
    const member = this.#memberId();
    if (member === undefined || (seen.get(member) ?? -1n) >= newest) return;
    const said = [...seen.keys()];
    await this.#topic.send(seenKey(member), Buffer.from(String(newest)));
    const members = await this.#members();
    for (const one of said) if (!members.includes(one)) await this.#topic.send(seenKey(one), null);
  }

  async #write(control: ControlRecord): Promise<ControlView> {
    const time = control.liftedAt ?? isoTime(this.clock);
    const event = { id: randomUUID(), source: 'payment-gateway', type: CONTROL_TYPE, time, data: control };
    const { headers, value } = encodeCloudEvent(event);
    try {
      await this.#topic.send(control.scope, value, headers);
      await this.load();
      await this.#acknowledge();
      await this.load();
    } catch (cause) {
      const detail = 'It is not known if it was written. Look at the list of controls before you repeat the request.';
      throw new Problem({ status: 503, code: 'control_not_confirmed', detail, cause });
    }
    return this.#view({ ...control, offset: this.#list.newest });
  }

  async #found(scope: string): Promise<Control | undefined> {
    await this.#available(this.load());
    return this.#list.active(this.clock.nowMs()).find((control) => control.scope === scope);
  }

  async #view({ offset, ...control }: Control): Promise<ControlView> {
    const members = await this.#available(this.#members());
    const acknowledged = members.filter((member) => (this.#list.seen.get(member) ?? -1n) >= offset).length;
    const instances = { acknowledged, of: members.length };
    return { ...control, acknowledged: acknowledged === members.length, instances };
  }

  /** Ids of the instances that may begin a command: whoever is not in the group begins none. */
  async #members(): Promise<string[]> {
    const members = await groupMembers(this.kafka.client, [gatewayGroup(this.config)], this.#topicName);
    return members.map(({ memberId }) => memberId);
  }

  /** @throws Problem for a scope that does not exist, or is not the operator's. */
  #assertScope(scope: string, operator: OperatorIdentity): void {
    const [kind, name = ''] = scope.split(':');
    const isKnown = kind === 'rail' || this.config.merchants.byName(name) !== undefined;
    if (!CONTROL_SCOPE_PATTERN.test(scope) || !isKnown) {
      const detail = `A scope is merchant: with a configured merchant, or one of ${RAILS.map((rail) => `rail:${rail}`).join(', ')}.`;
      throw new Problem({ status: 404, code: 'scope_unknown', detail });
    }
    // The orders on a rail are those of every merchant.
    assertMerchant(operator, kind === 'merchant' ? name : '');
  }

  #available<T>(work: Promise<T>): Promise<T> {
    return work.catch((cause: unknown) => {
      const detail = 'The controls can not be read now. Try again later.';
      throw new Problem({ status: 503, code: 'unavailable', detail, cause });
    });
  }
}

/** A stop of a rail concerns everybody; one of a merchant those who may see the merchant. */
const isOf = (operator: OperatorIdentity, scope: string): boolean =>
  scope.startsWith('rail:') || mayAct(operator, scope.slice('merchant:'.length));

function notInTheFuture(): Problem {
  return new Problem({
    status: 400,
    code: 'invalid_request',
    detail: 'Some fields are not as they must be, see faults.',
    faults: [{ path: 'expiresAt', code: 'format', message: 'must be an RFC 3339 time in the future' }],
  });
}
