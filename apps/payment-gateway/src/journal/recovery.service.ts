import { Injectable } from '@nestjs/common';
import { HIGHEST_JOURNAL_EPOCH } from '@tranche/contracts';
import { JournalRecovery } from '@tranche/order-journal';
import { Health } from '@tranche/service-kit';
import { DecisionTopic } from '../decisions/decision-topic.service.js';
import { GatewayConfig } from '../gateway.config.js';

const OUTDATED = '`tranche journal` changed what is read of the journal since this process started: start it again';

/** Decisions of `tranche journal` as of the start: a process reads all of the journal under the same decisions. */
@Injectable()
export class Recovery extends JournalRecovery {
  #taken = 0;
  #isOutdated = false;

  constructor(
    private readonly config: GatewayConfig,
    private readonly topic: DecisionTopic,
    health: Health,
  ) {
    super();
    // A restart reads the decisions anew.
    health.addLiveness('journal decisions', () => (this.#isOutdated ? OUTDATED : undefined));
  }

  /** The epoch with which sequences of events start: the one of the setting, and one more for each resume (R10). */
  get epoch(): number {
    return Math.min(this.config.journalEpoch + this.resumes.count, HIGHEST_JOURNAL_EPOCH);
  }

  /** Must be called before the first record of the journal is read. */
  async load(): Promise<void> {
    const records = await this.topic.recoveryRecords();
    for (const record of records) this.take(record);
    this.#taken = records.length;
  }

  /**
   * Must be called whenever this process became a member of its group, before it takes a command. `tranche journal` writes only while the group has
   * no member, so a record that is missing here was written while this process was none.
   * @throws where the journal was resumed, or a record skipped, since `load`
   */
  async assertCurrent(): Promise<void> {
    this.#isOutdated ||= (await this.topic.recoveryRecords()).length > this.#taken;
    if (this.#isOutdated) throw new Error(OUTDATED);
  }
}
