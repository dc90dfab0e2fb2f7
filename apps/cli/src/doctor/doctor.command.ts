import type { Command } from 'commander';
import { createKafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { loadConfig } from '@tranche/service-kit';
import type { Me, Partitions, Rails } from '../api/operations.js';
import { BrokersConfig } from '../cli.config.js';
import { EXIT, ExitError } from '../exit.js';
import { kafkaAnswers } from '../outside.js';
import { outputOption, printRows, type Format } from '../output/output.js';
import type { Exit } from '../program.js';
import { meText } from '../session/login.command.js';
import { profilesFile } from '../session/profiles.js';
import { Session } from '../session/session.js';

interface Finding {
  what: string;
  state: 'good' | 'wrong' | 'not set';
  says: string;
}

const KAFKA_WITHIN_S = 10;

/** `tranche doctor`: addresses, sign-in and versions, one line each. */
export function addDoctorCommand(program: Command, exit: Exit): void {
  const doctor = program.command('doctor').description('looks at addresses, sign-in and versions: one line each, with what to do');
  outputOption(doctor).action(async ({ output }: { output: Format }) => {
    const findings = await examine();
    printRows(output, (['state', 'what', 'says'] as const).map((name) => ({ name, of: (row: Finding) => row[name] })), findings);
    exit(findings.some(({ state }) => state === 'wrong') ? EXIT.failed : EXIT.done);
  });
} // prettier-ignore

async function examine(): Promise<Finding[]> {
  const tranche = { what: 'tranche', state: 'good', says: `build ${process.env.BUILD_VERSION ?? 'dev'}, Node.js ${process.version}` } as const;
  let session: Session;
  try {
    session = Session.open();
  } catch (error) {
    return [tranche, { what: 'settings', state: 'wrong', says: (error as Error).message.replaceAll('\n', '; ') }];
  }
  const { api, profile, tokenFrom, isProduction } = session;
  const signedIn = tokenFrom === undefined ? { what: 'token', state: 'wrong', says: 'none: `tranche login`, or set TRANCHE_TOKEN' } as const
    : await found('sign-in', async () => `${meText(await api.get<Me>('/v1/me'))}, by ${tokenFrom}`);
  return [
    tranche,
    { what: 'profile', state: profile === undefined ? 'not set' : 'good', says: profile === undefined ? `none in ${profilesFile()}` : `${profile}${isProduction ? ', production' : ''}` },
    await found('operations', async () => {
      await api.get('/v1/partitions').catch((error: unknown) => {
        if (!(error instanceof ExitError && error.exitCode === EXIT.notAllowed)) throw error;
      });
      return `answers at ${api.address.url.origin} (${api.address.from})`;
    }),
    signedIn,
    ...(signedIn.state === 'good' ? [await found('what it knows', () => knowledge(session)), await found('gateway', async () => {
      const { rails } = await api.get<Rails>('/v1/rails');
      return `answers; ${rails.filter(({ state }) => state === 'stopped').length} of ${rails.length} rails are stopped`;
    })] : []),
    process.env.KAFKA_BROKERS ? await found('Kafka', kafka) : { what: 'Kafka', state: 'not set', says: 'KAFKA_BROKERS: only journal, commands, topics and quarantine reverify need it' },
  ];
} // prettier-ignore

async function found(what: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { what, state: 'good', says: await look() };
  } catch (error) {
    return { what, state: 'wrong', says: (error as Error).message.replaceAll(/\n\s*/g, '; ') };
  }
}

async function knowledge({ api }: Session): Promise<string> {
  const { partitions } = await api.get<Partitions>('/v1/partitions');
  const stopped = partitions.filter((one) => one.stopped !== undefined);
  const behind = partitions.reduce((sum, one) => sum + one.behind, 0);
  if (stopped.length > 0)
    throw new Error(`${stopped.map(({ topic, partition }) => `${topic} ${partition}`).join(', ')} is read no further: \`tranche attention --kind partition\``); // prettier-ignore
  return `${partitions.length} partitions, ${behind} records behind`;
}

async function kafka(): Promise<string> {
  const { kafka: settings } = loadConfig(BrokersConfig);
  await kafkaAnswers(createKafkaClient({ ...settings, clientId: 'tranche-cli' }, silentLog), KAFKA_WITHIN_S);
  return `answers at ${settings.brokers.join(', ')} (KAFKA_BROKERS)`;
}
