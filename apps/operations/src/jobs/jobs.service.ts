import { createHash, randomUUID } from 'node:crypto';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { encodeCloudEvent, JOB_TYPE, TOPICS, type JobItem, type JobRecord } from '@tranche/contracts';
import { BatchingProducer } from '@tranche/kafka';
import type { OperatorIdentity } from '@tranche/operators';
import { compact, pauseFor, reasonOf } from '@tranche/runtime';
import { Problem, ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import { GatewayClient, type GatewayAnswer } from '../gateway/gateway.client.js';
import { OperationsConfig } from '../operations.config.js';
import type { JobState } from '../fold/job-fold.js';
import { JobPlans, type JobAsked } from './job-plans.service.js';
import { INTERRUPTED_AFTER_MS, jobMoved, JobsStore, TO_DO, type Item } from './jobs.store.js';

const ITEMS_OF_RECORD = 100;
const ALIVE_EVERY_MS = INTERRUPTED_AFTER_MS / 4;
const AGAIN_AFTER_MS = 1_000;
const ITEMS_AT_ONCE = 100;

type Step = Omit<JobRecord, 'job' | 'at'>;
/** A person, with the token that the gateway judges by: it is in memory only. */
interface Runner {
  operator: OperatorIdentity;
  authorization: string | undefined;
}
interface Done extends Pick<JobRecord, 'result' | 'why' | 'proposal'> {
  /** The gateway did not begin it: the same item comes again. */
  isReleased?: true;
  stop?: string;
}

/** Writes jobs to Kafka, where they are, and does their items one after the other. */
@Injectable()
export class Jobs implements BeforeApplicationShutdown {
  #planning: { job: string; asked: string } | undefined;
  readonly #runs = new Set<Promise<void>>();

  constructor(
    private readonly config: OperationsConfig,
    private readonly store: JobsStore,
    private readonly plans: JobPlans,
    private readonly gateway: GatewayClient,
    private readonly producer: BatchingProducer,
    private readonly lifetime: ServiceLifetime,
    private readonly log: ServiceLogger,
  ) {}

  /** Makes the plan and freezes it. A part of a plan whose end is missing is no job. */
  async plan(asked: JobAsked, { operator, authorization }: Runner): Promise<JobState> {
    const { kind, reason, merchant, ids, csv } = asked;
    const digest = csv && createHash('sha256').update(csv).digest('base64');
    const subject = JSON.stringify([operator.person, kind, merchant, ids, digest]);
    if (this.#planning) throw planUnderWay(this.#planning, subject);
    const job = randomUUID();
    this.#planning = { job, asked: subject };
    try {
      const { merchants, parts } = await this.plans.plan(job, asked, operator, authorization);
      const counts = new Map<string, number>();
      let number = 0;
      let waiting: JobItem[] = [];
      const put = () => this.#write(job, { record: 'items', items: waiting.splice(0, ITEMS_OF_RECORD) });
      for await (const part of parts) {
        for (const item of part) {
          waiting.push({ number: ++number, ...item });
          counts.set(item.verdict, (counts.get(item.verdict) ?? 0) + 1);
        }
        const writes = [];
        while (waiting.length >= ITEMS_OF_RECORD) writes.push(put());
        await Promise.all(writes);
      }
      if (waiting.length > 0) await put();
      waiting = [];
      const toDo = [...counts].reduce((sum, [verdict, of]) => sum + (TO_DO.includes(verdict) ? of : 0), 0);
      const total = kind === 'reconcile' ? number : toDo;
      const listed = [...counts].map(([verdict, of]) => ({ verdict, number: of }));
      const step: Step = { record: 'planned', by: operator.person, kind, reason, merchants, counts: listed, total };
      return await this.#writeAndRead(job, step);
    } finally {
      this.#planning = undefined;
      await this.plans.dropRows(job);
    }
  }

  /** Begins or goes on. Resolves once it runs, and not when it is done. */
  async start(job: JobState, pass: 'run' | 'approval', runner: Runner): Promise<JobState> {
    const run = randomUUID();
    const total = pass === 'approval' && job.pass !== pass ? await this.store.proposed(job.id) : undefined;
    const step = compact({
      record: 'started' as const,
      by: runner.operator.person,
      run,
      follows: job.run,
      pass,
      total,
    });
    const started = await this.#writeAndRead(job.id, step);
    if (started.run !== run) throw moved(started);
    const running = this.#run(started, run, runner)
      .catch((error: unknown) => this.log.error({ err: error, job: job.id }, `A job ended: ${reasonOf(error)}`))
      .finally(() => this.#runs.delete(running));
    this.#runs.add(running);
    return started;
  }

  async cancel(job: JobState, { operator }: Runner): Promise<JobState> {
    const cancelled = await this.#writeAndRead(job.id, { record: 'ended', by: operator.person, status: 'cancelled' });
    if (cancelled.status !== 'cancelled') throw moved(cancelled);
    return cancelled;
  }

  /** Items under way are finished, and the jobs are interrupted, before Kafka is closed. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.#runs);
  }

  async #run({ id }: JobState, run: string, runner: Runner): Promise<void> {
    const { stopping } = this.lifetime;
    const beats = setInterval(
      () => void this.#write(id, { record: 'alive', run }).catch(() => undefined),
      ALIVE_EVERY_MS,
    );
    let ended: Pick<Step, 'status' | 'why'> | undefined;
    try {
      while (ended === undefined) {
        if (stopping.aborted) ended = { status: 'interrupted', why: 'The service stopped.' };
        else ended = await this.#some(id, run, runner).catch((error: unknown) => this.#later(id, error));
      }
      await this.#write(id, { record: 'ended', run, ...ended });
    } finally {
      clearInterval(beats);
    }
  }

  /** PostgreSQL is away, or Kafka: the run goes on with the item that was not begun, or does not know of the one that was. */
  async #later(job: string, error: unknown): Promise<undefined> {
    this.log.warn({ job, reason: reasonOf(error) }, 'A job waits');
    await pauseFor(AGAIN_AFTER_MS, this.lifetime.stopping);
  }

  /** Does some items. Resolves to how the run ended, once it has. */
  async #some(id: string, run: string, runner: Runner): Promise<Pick<Step, 'status' | 'why'> | undefined> {
    const job = await this.store.job(id, undefined);
    if (job.run !== run) return { status: 'interrupted' };
    // The record of the item's beginning is there, and its result is not: an error came between.
    if (job.underWay)
      await this.#write(id, { record: 'result', run, number: job.last, result: 'unknown', why: 'Look at the order.' });
    const items = await this.store.next(job, ITEMS_AT_ONCE);
    for (const item of items) {
      if (this.lifetime.stopping.aborted) return undefined;
      const { number } = item;
      const begun = await this.#writeAndRead(id, { record: 'begun', run, number }).catch(async (error: unknown) => {
        await this.#write(id, { record: 'released', run, number });
        throw error;
      });
      // Somebody else runs it, or it was cancelled: this item is theirs, or nobody's.
      if (begun.run !== run || begun.last !== number || !begun.underWay) return { status: 'interrupted' };
      const { isReleased, stop, ...done } = await this.#do(job, item, runner);
      await this.#write(id, { record: isReleased ? 'released' : 'result', run, number, ...done });
      if (stop !== undefined) return { status: 'interrupted', why: stop };
    }
    return items.length === 0 ? { status: 'done' } : undefined;
  }

  async #do(
    { kind, pass, reason }: JobState,
    { key, about, proposal }: Item,
    { authorization }: Runner,
  ): Promise<Done> {
    const [partition, offset] = key.split('-');
    const letter = { topic: TOPICS.commandsDeadLetter.name, partition: Number(partition), offset, reason };
    const [url, body] =
      pass === 'approval'
        ? [`/v1/proposals/${proposal}/approve`, undefined]
        : kind === 'replay'
          ? ['/v1/replays', letter]
          : [`/v1/operations/${about?.operationId}/resolve`, JSON.parse(about?.said ?? '{}') as object];
    const headers = authorization === undefined ? {} : { authorization };
    try {
      return doneOf(await this.gateway.pass({ method: 'POST', url, headers, body }), pass);
    } catch (error) {
      return { result: 'unknown', why: reasonOf(error), stop: 'The gateway does not answer.' };
    }
  }

  async #writeAndRead(job: string, step: Step): Promise<JobState> {
    const { offset } = await this.#write(job, step);
    await this.store.seen(offset, this.lifetime.stopping);
    return this.store.job(job, undefined);
  }

  #write(job: string, step: Step): Promise<{ offset: bigint }> {
    const at = new Date().toISOString();
    const data: JobRecord = { job, at, ...step };
    const event = { id: randomUUID(), source: 'operations', type: JOB_TYPE, time: at, data: compact(data) };
    const topic = this.config.kafkaTopicPrefix + TOPICS.jobs.name;
    return this.producer.send({ topic, key: job, ...encodeCloudEvent(event) });
  }
}

function doneOf({ status, body }: GatewayAnswer, pass: JobState['pass']): Done {
  const said = JSON.parse(body) as Record<string, unknown>;
  const published = said.published as { topic: string; partition: number } | undefined;
  if (status === 401)
    return { isReleased: true, stop: `The gateway takes this token no longer: ${String(said.detail)}` };
  if (status >= 400) return { result: 'failed', why: `${String(said.code)}: ${String(said.detail)}` };
  if (said.verdict !== undefined && published === undefined) return { result: 'failed', why: String(said.why) };
  if (published) return { result: 'done', why: `Published to ${published.topic}/${published.partition}.` };
  if (said.recorded !== undefined)
    return { result: 'done', why: 'It is recorded, and not judged yet: look at the order.' };
  if (pass === 'approval') return { result: 'approved' };
  if (status === 202) return { result: 'proposed', why: 'A second person must approve it.', proposal: String(said.id) };
  return { result: 'done', why: `It is ${String(said.state)}.` };
}

/** One plan is made at a time. Who asks for their own again, as after a time-out, gets its id. */
const planUnderWay = ({ job, asked }: { job: string; asked: string }, subject: string): Problem =>
  asked === subject
    ? new Problem({
        status: 409,
        code: 'plan_under_way',
        detail: `Your plan of this is being made: it will be job ${job}. Look at the list of jobs in a moment.`,
      })
    : new Problem({ status: 503, code: 'unavailable', detail: 'Another plan is being made. Ask again later.' });

const moved = ({ status }: JobState): Problem =>
  jobMoved(`The job is ${status}, and can not be changed so. Look at it again.`);
