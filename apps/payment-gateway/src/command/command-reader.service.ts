import { Injectable } from '@nestjs/common';
import { commandSignatureProblem, SIGNATURE_PROBLEMS, type Rail, type SignatureProblem } from '@tranche/contracts';
import type { ConsumedRecord } from '@tranche/kafka';
import { Metrics } from '@tranche/service-kit';
import { GatewayConfig } from '../gateway.config.js';
import { readCommand, type ReadCommand } from './accepted-command.js';

export type ReadableCommand = Exclude<ReadCommand, { read: 'unreadable' }>;

/** Reads commands and checks their signatures, and counts both. */
@Injectable()
export class CommandReader {
  readonly #commands;
  readonly #signatures;

  constructor(
    private readonly config: GatewayConfig,
    metrics: Metrics,
  ) {
    this.#commands = metrics.counter({
      name: 'tranche_commands_total',
      help: 'Commands by rail and outcome of reading them: accepted, rejected or unreadable',
      labelNames: ['rail', 'outcome'],
    });
    const mayBeSigned = config.merchants.all.filter(
      ({ publisherKeys = [], requireSignatures = false }) => requireSignatures || publisherKeys.length > 0,
    );
    this.#signatures = metrics.counterFromZero({
      name: 'tranche_command_signatures_total',
      help: 'Signatures of commands by merchant and outcome: verified, missing, malformed, unknown_key, key_revoked, key_not_valid_then or does_not_match',
      labels: { merchant: mayBeSigned.map(({ merchant }) => merchant), outcome: ['verified', ...SIGNATURE_PROBLEMS] },
    });
  }

  /** `CLOCK_OFFSET_MS` moves our clock and that of Redis, so Kafka's time is moved too. */
  moved(record: ConsumedRecord): ConsumedRecord {
    const { clockOffsetMs } = this.config;
    if (clockOffsetMs === 0 || record.timestampMs < 0) return record;
    return { ...record, timestampMs: record.timestampMs + clockOffsetMs };
  }

  read(record: ConsumedRecord, rail: Rail): ReadCommand {
    const read = readCommand(record, rail, this.config.merchants);
    this.#commands.inc({ rail, outcome: read.read });
    return read;
  }

  /** The reason why a signature that the command needs does not count; undefined where it counts, or none is needed. */
  async signatureProblem(record: ConsumedRecord, read: ReadableCommand): Promise<SignatureProblem | undefined> {
    const name = read.read === 'accepted' ? read.command.merchant.merchant : read.rejection.merchant;
    const merchant = this.config.merchants.byName(name);
    const { kafkaTopicPrefix, environmentId } = this.config;
    const { key, headers, value, timestampMs } = record;
    const signed = { topic: kafkaTopicPrefix + record.topic, key, headers, value, timestampMs };
    const checked = merchant && (await commandSignatureProblem(signed, merchant, environmentId));
    if (checked === undefined) return undefined;
    // A merchant that is not configured has no keys, so the label is one of the merchants' file.
    this.#signatures.inc({ merchant: name, outcome: checked });
    return checked === 'verified' ? undefined : checked;
  }
}
