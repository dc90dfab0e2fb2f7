import type { HealthRegistry, Log } from '@tranche/runtime';
import { Gauge, type Registry } from 'prom-client';
import { kafkaOf, untilAnswered, type KafkaClient, type Admin } from './kafkajs/kafka-client.js';

const ASK_EVERY_MS = 2_500;
const SILENCE_MS = 8_000;
/** Maximum requests in flight: a later one may reach another broker. */
const OPEN_QUESTIONS = 3;

interface KafkaWatchOptions {
  client: KafkaClient;
  /** Topic name with prefix; the topic need not exist. */
  topic: string;
  health: HealthRegistry;
  metrics?: Registry | undefined;
  log: Log;
}

/**
 * Asks Kafka about a topic every 2.5 s. A frozen Kafka keeps its connections open and answers nothing, which an idle service would not
 * notice. Readiness `kafka` fails after 8 s without an answer, and the gauge `kafka_answers` is 0 meanwhile.
 */
export class KafkaWatch {
  private answeredMs = performance.now();
  private timer?: NodeJS.Timeout;
  private openQuestions = 0;
  /** The connection that answered the last request, kept for the next one. */
  private kept?: Admin;
  private isSilent = false;
  private isStopped = false;

  constructor(private readonly options: KafkaWatchOptions) {
    options.health.addReadiness('kafka', () => this.trouble);
    if (options.metrics === undefined) return;
    const answers: Gauge = new Gauge({
      name: 'kafka_answers',
      help: '1 while Kafka answers this service; 0 when it has not answered for 8 seconds',
      registers: [options.metrics],
      collect: () => answers.set(this.trouble === undefined ? 1 : 0),
    });
  }

  start(): void {
    this.answeredMs = performance.now();
    this.timer = setInterval(() => this.tick(), ASK_EVERY_MS);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.kept?.disconnect();
  }

  private get trouble(): string | undefined {
    const silentMs = performance.now() - this.answeredMs;
    if (this.timer === undefined || silentMs < SILENCE_MS) return undefined;
    return `Kafka at ${this.options.client.brokers.join(', ')} has not answered for ${Math.floor(silentMs / 1000)} s`;
  }

  private tick(): void {
    const { trouble } = this;
    if (trouble !== undefined && !this.isSilent)
      this.options.log.warn({ brokers: this.options.client.brokers }, trouble);
    this.isSilent = trouble !== undefined;
    if (this.openQuestions < OPEN_QUESTIONS) void this.ask();
  }

  private async ask(): Promise<void> {
    const admin = this.kept ?? kafkaOf(this.options.client).admin();
    delete this.kept;
    this.openQuestions++;
    try {
      await admin.connect();
      await untilAnswered(admin, this.options.topic);
      this.answered();
      if (!this.isStopped && this.kept === undefined) this.kept = admin;
    } catch (error) {
      this.options.log.debug({ error: String(error) }, 'Kafka did not answer the watch');
    } finally {
      this.openQuestions--;
      if (this.kept !== admin) await admin.disconnect().catch(() => undefined);
    }
  }

  private answered(): void {
    this.answeredMs = performance.now();
    if (!this.isSilent) return;
    this.isSilent = false;
    this.options.log.info({ brokers: this.options.client.brokers }, 'Kafka answers again');
  }
}
