import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { clusterIdOf, type KafkaClient } from '@tranche/kafka';
import { InjectKafkaClient } from '@tranche/kafka/nest';
import {
  LedgerFile,
  LedgerSuccessor,
  type LedgerIdentity,
  type LedgerLock,
  type MadeToken,
  type Moment,
  type SentLedger,
} from '@tranche/order-journal';
import { Health, Metrics, ServiceLogger } from '@tranche/service-kit';
import { Clock } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';
import { Journal } from '../journal/journal.service.js';
import { ledgerDisk, ledgerFolder, ledgerPath, lockPath } from './ledger-folder.js';
import { lockFile } from './ledger-lock.js';

const POLL_EVERY_MS = 1_000;
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** Records on this node which granted calls were about to be sent, so that after a kill the next process knows which never were. */
@Injectable()
export class SentLedgerService implements SentLedger {
  #file?: LedgerFile;
  #lock?: LedgerLock;
  #ownId = '';
  #successor?: LedgerSuccessor;
  #timer?: NodeJS.Timeout;
  #polling = Promise.resolve();
  readonly #isOn;
  readonly #concluded;

  constructor(
    private readonly config: GatewayConfig,
    @InjectKafkaClient() private readonly kafka: KafkaClient,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly log: ServiceLogger,
    health: Health,
    metrics: Metrics,
  ) {
    this.#isOn = metrics.gauge({ name: 'tranche_sent_ledger_on', help: '1 while calls are noted in a sent ledger' });
    this.#isOn.set(0);
    this.#concluded = metrics.counter({
      name: 'tranche_never_sent_attempts_total',
      help: 'Attempts of ended processes that the sent ledger showed were never sent',
    });
    health.addReadiness('sent ledger', () =>
      this.#file?.state === 'broken' ? 'it can neither be written nor removed: nothing is sent' : undefined,
    );
  }

  /** Must run before the first command is taken. Without a ledger the gateway works; a kill then leaves a few more doubts. */
  async open(): Promise<void> {
    const { sentLedgerDir: folder } = this.config;
    if (folder === undefined) {
      this.log.warn({}, 'SENT_LEDGER_DIR is not set: a kill leaves calls in doubt that were never sent');
      return;
    }
    try {
      await this.#openIn(folder);
      this.#isOn.set(1);
    } catch (error) {
      this.log.error(
        { err: error, folder },
        'There is no sent ledger: a kill leaves calls in doubt that were never sent',
      );
    }
  }

  /** Must run once the journal can be read. */
  start(): void {
    if (this.#successor === undefined) return;
    const look = () => {
      this.#polling = this.#polling.then(() => this.#poll());
    };
    look();
    this.#timer = setInterval(look, POLL_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Runs after the last call. Tokens whose end was not read back stay in the file for the next process. */
  close(): void {
    this.#file?.close();
    if (this.#file?.state === 'removed') rmSync(lockPath(this.config.sentLedgerDir!, this.#ownId), { force: true });
  }

  made(token: MadeToken): void {
    this.#file?.made(token);
  }

  sent(token: string): boolean {
    return this.#file?.sent(token) ?? true;
  }

  ended(token: string): void {
    this.#file?.ended(token);
  }

  async #openIn(folder: string): Promise<void> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const identity: LedgerIdentity = {
      topicPrefix: this.config.kafkaTopicPrefix,
      clusterId: await clusterIdOf(this.kafka),
      bootId: readFileSync(BOOT_ID, 'utf8').trim(),
    };
    // Another process may lock the new file between its creation and our lock; then another name is tried.
    while (this.#lock === undefined) this.#lock = await lockFile(lockPath(folder, (this.#ownId = randomUUID())));
    this.#file = new LedgerFile({
      path: ledgerPath(folder, this.#ownId),
      identity,
      readClocks: kernelClocks,
      disk: ledgerDisk,
      onTrouble: (error, isRemoved) => this.#onTrouble(error, isRemoved),
    });
    this.#successor = new LedgerSuccessor({
      ...{ folder: ledgerFolder(folder), ownId: this.#ownId, identity, readClocks: kernelClocks, log: this.log },
      journal: this.journal.view,
      nowMs: () => this.clock.nowMs(),
      onConcluded: () => this.#concluded.inc(),
    });
  }

  #onTrouble(error: unknown, isRemoved: boolean): void {
    this.#isOn.set(0);
    this.log.error(
      { err: error },
      isRemoved
        ? 'The sent ledger could not be written and was removed: what follows is sent without it'
        : 'The sent ledger can neither be written nor removed: nothing is sent',
    );
  }

  async #poll(): Promise<void> {
    try {
      await this.#successor?.poll();
      for (const token of this.#file?.neverSent ?? []) {
        await this.#successor?.conclude(token);
        this.#file?.ended(token.token);
      }
    } catch (error) {
      this.log.warn(
        { err: error },
        'Sent ledgers of earlier processes could not be worked off; they will be tried again',
      );
    }
  }
}

/** CLOCK_MONOTONIC is shared by all processes of a machine. `CLOCK_OFFSET_MS` must not move the date here. */
const kernelClocks = (): Moment => ({ monotonicMs: Number(process.hrtime.bigint()) / 1e6, wallMs: Date.now() });
