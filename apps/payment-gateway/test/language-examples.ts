import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { encodeCloudEvent, EVENT_EXAMPLES, orderKey, topicName, TOPICS } from '@tranche/contracts';
import { BatchingProducer, createKafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { infrastructure, publisherOfTests, repositoryRoot, waitFor, type Stage } from '@tranche/testing';

export type Language = 'python' | 'java' | 'go';

/** Its file with the story of an order; the tests of partitions and signatures put a publisher of given commands in its place. */
const PROGRAMS: Record<Language, string> = {
  python: 'pay.py',
  java: 'src/main/java/example/Pay.java',
  go: 'pay.go',
};

/** These must be installed; the rest comes by the commands of the example's README. */
const NEEDED: Record<Language, string[][]> = {
  python: [['python3', '-c', 'import ensurepip, venv']],
  java: [
    ['mvn', '--version'],
    ['javac', '--version'],
  ],
  go: [['go', 'version']],
};

const runs = ([program = '', ...args]: string[]) => spawnSync(program, args, { stdio: 'ignore' }).status === 0;

/** Says on the console which languages are left out. */
export function installedLanguages(languages: readonly Language[]): Language[] {
  return languages.filter((language) => {
    const missing = NEEDED[language].find((command) => !runs(command));
    if (missing) console.warn(`Skipped: examples/${language}, because \`${missing.join(' ')}\` fails here`);
    return missing === undefined;
  });
}

/**
 * A Python with the packages of the example, or undefined, said on the console. PYTHON may name one that has them; else they are installed
 * into .infra once.
 */
export function pythonWithPackages(): string | undefined {
  const given = process.env.PYTHON;
  if (given) return hasPackages(given) ? given : skipped(`${given} lacks packages of examples/python/requirements.txt`);
  const requirements = join(repositoryRoot(), 'examples/python/requirements.txt');
  const version = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 8);
  const folder = join(repositoryRoot(), '.infra', `python-${version}`);
  const python = join(folder, 'bin/python');
  if (hasPackages(python)) return python;
  const install = ['python3', '-m', 'pip', '-q', '--python', python, 'install', '--no-compile', '-r', requirements];
  const isMade = runs(['python3', '-m', 'venv', '--without-pip', folder]) && runs(install);
  return isMade ? python : skipped(`examples/python, because \`${install.join(' ')}\` fails here`);
}

const hasPackages = (python: string) => runs([python, '-c', 'import confluent_kafka, cryptography']);

function skipped(reason: string): undefined {
  console.warn(`Skipped: ${reason}`);
}

/** A copy of an example's folder, so that nothing that a developer built there is used. */
export interface ExampleCopy {
  readonly folder: string;
  readonly started: Started[];
  /** Stops what still runs there: it would keep its place in the consumer group of its example. */
  remove(): void;
}

export function copyOfExample(language: Language): ExampleCopy {
  const folder = mkdtempSync(join(tmpdir(), `tranche-${language}-`));
  const left = new Set(['.venv', 'target', '__pycache__', 'form.html']);
  const source = join(repositoryRoot(), 'examples', language);
  cpSync(source, folder, { recursive: true, filter: (path) => !left.has(path.slice(source.length + 1)) });
  const started: Started[] = [];
  return {
    folder,
    started,
    remove() {
      for (const program of started) program.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Puts the test's publisher in place of the example's program. */
export function putPublisher(language: Language, { folder }: ExampleCopy): void {
  const file = PROGRAMS[language];
  cpSync(join(__dirname, 'languages', file.split('/').at(-1)!), join(folder, file));
}

/** The commands of the example's README: those that prepare, and the last one, which runs the program. */
export function commandsOf(language: Language): { prepare: string[]; run: string } {
  const readme = readFileSync(join(repositoryRoot(), 'examples', language, 'README.md'), 'utf8');
  const [, block = ''] = /```sh\n([\s\S]*?)\n```/.exec(readme) ?? [];
  const lines = block.split('\n');
  return { prepare: lines.slice(0, -1), run: lines.at(-1) ?? '' };
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Started {
  readonly ended: Promise<Ended>;
  readonly hasEnded: boolean;
  /** Ends it, with all processes that it started. */
  stop(): void;
}

/** Starts a command line of a shell in the copy's folder. */
export function startIn(copy: ExampleCopy, command: string, env: Record<string, string>, input = ''): Started {
  const child = spawn('sh', ['-c', command], { cwd: copy.folder, env: { ...process.env, ...env }, detached: true });
  const printed = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text));
  child.stdin.end(input);
  let hasEnded = false;
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => {
      hasEnded = true;
      // Maven resets the colours of a terminal at its end. Go names the modules that it downloads the first time.
      resolve({
        code,
        stdout: stripVTControlCharacters(printed.stdout),
        stderr: stripVTControlCharacters(printed.stderr).replaceAll(/^go: downloading .*\n/gm, ''),
      });
    });
  });
  const started: Started = {
    ended,
    get hasEnded() {
      return hasEnded;
    },
    stop() {
      if (!hasEnded && child.pid !== undefined) process.kill(-child.pid);
    },
  };
  copy.started.push(started);
  return started;
}

/** Variables of an example that signs for `publisherOfTests`. */
export function signingVariables(environmentId = 'tests'): Record<string, string> {
  const { kid, privateKey } = publisherOfTests();
  const { d = '' } = privateKey.export({ format: 'jwk' });
  return { SIGNING_KID: kid, SIGNING_KEY: d, ENVIRONMENT_ID: environmentId };
}

interface Ledger {
  calls: unknown[];
  operations: { operationType: string; finalExecCode: string; amount: number }[];
}

/** Each example prints this of an order that goes well, apart from repeated results. */
const STORY = [
  'published payment.authorize',
  'received payment.authorize.redirect_required',
  'open form.html and decide as the customer',
  'received payment.authorize.succeeded',
  'published payment.capture',
  'received payment.capture.succeeded',
  'published payment.refund',
  'received payment.refund.succeeded',
];

/** In place of the capture's success: a doubt ends with an event of its own, which no `succeeded` follows. */
const DOUBT = ['received payment.capture.in_doubt', 'received payment.capture.doubt_resolved'];

export interface Example {
  readonly copy: ExampleCopy;
  /** Runs its program. */
  readonly command: string;
  /** Begins the ids of its orders. */
  readonly orders: string;
}

/** Runs examples against the shop's stage, whose platform keeps a ledger. */
export function shopOfExamples({ prefix, apps }: Stage) {
  const { 'platform-simulator': simulator } = apps;
  if (!simulator) throw new Error('the stage has no simulator');
  const env = { KAFKA_BROKERS: infrastructure().brokers, KAFKA_TOPIC_PREFIX: prefix, ...signingVariables() };

  async function ledgerOf(orderId: string): Promise<Ledger> {
    return (await (await fetch(`${simulator!.url}/simulator/ledger?orderId=${orderId}`)).json()) as Ledger;
  }

  /** Decides as the customer once the program has written the form. Resolves when the program has ended. */
  async function play({ copy, command }: Example, orderId: string): Promise<Ended> {
    const form = join(copy.folder, 'form.html');
    // The form of an earlier order would be taken for this one's.
    rmSync(form, { force: true });
    const program = startIn(copy, command, { ...env, ORDER_ID: orderId });
    try {
      const address = await waitFor(() => addressIn(form) ?? program.hasEnded, {
        timeoutMs: 100_000,
        what: `the form of ${orderId}`,
      });
      const body = new URLSearchParams({ decision: 'validate' });
      if (typeof address === 'string') await fetch(address, { method: 'POST', body, redirect: 'manual' });
      await waitFor(() => program.hasEnded, { timeoutMs: 100_000, what: `the end of the program of ${orderId}` });
      return await program.ended;
    } finally {
      program.stop();
    }
  }

  return {
    async expectWholeOrder(example: Example): Promise<void> {
      const orderId = `${example.orders}-1`;
      const { code, stdout, stderr } = await play(example, orderId);
      expect([stderr, code]).toEqual(['', 0]);
      const lines = stdout.trim().split('\n');
      expect([...new Set(lines)]).toEqual([...STORY, `${orderId} was captured and refunded`]);
      const { operations } = await ledgerOf(orderId);
      expect(operations).toMatchObject(
        ['authorization', 'capture', 'refund'].map((operationType) => {
          return { operationType, finalExecCode: '0000', amount: 30_000 };
        }),
      );
    },

    /** The answer to the capture can not be read, so its outcome is unknown until the notification comes, which the platform sends later. */
    async expectDoubtThatEnds(example: Example): Promise<void> {
      const orderId = `${example.orders}-doubt`;
      const rule = {
        match: { operation: 'capture', orderPrefix: orderId },
        fault: { garbage: 'after', notification: { lateMs: 3_000 } },
      };
      const { status } = await fetch(`${simulator.url}/simulator/faults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(rule),
      });
      expect(status).toBe(201);
      const { code, stdout, stderr } = await play(example, orderId);
      expect([stderr, code]).toEqual(['', 0]);
      const story = STORY.flatMap((line) => (line === 'received payment.capture.succeeded' ? DOUBT : [line]));
      expect([...new Set(stdout.trim().split('\n'))]).toEqual([...story, `${orderId} was captured and refunded`]);
      const { operations } = await ledgerOf(orderId);
      expect(operations.map(({ operationType }) => operationType)).toEqual(['authorization', 'capture', 'refund']);
    },

    /** Nobody pays: the program ends by the event that says so. */
    async expectReadableExpiry({ copy, command }: Example): Promise<void> {
      const orderId = `expired-${basename(copy.folder)}`;
      const type = 'payment.pay.expired';
      const key = orderKey('shop-fr', orderId);
      const event = { id: orderId, source: '/spec', type, time: new Date().toISOString(), subject: key };
      const data = { ...EVENT_EXAMPLES[type], orderId };
      const client = createKafkaClient({ brokers: infrastructure().brokers.split(','), clientId: 'spec' }, silentLog);
      const producer = new BatchingProducer({ client, log: silentLog });
      await producer.send({ topic: topicName(prefix, TOPICS.events), key, ...encodeCloudEvent({ ...event, data }) });
      await producer.close();
      const { code, stdout, stderr } = await startIn(copy, command, { ...env, ORDER_ID: orderId }).ended;
      expect([code, stderr.trim()]).toEqual([1, `${type}: no reason given`]);
      expect(stdout).toContain(`received ${type}`);
    },

    /** An answer `rejected`, and the dead letter of a signature for another environment. */
    async expectReadableRefusals(example: Example): Promise<void> {
      for (const [index, [settings, reason]] of REFUSALS.entries()) {
        const orderId = `${example.orders}-refused-${index}`;
        const { ended } = startIn(example.copy, example.command, { ...env, ORDER_ID: orderId, ...settings });
        const { code, stderr } = await ended;
        expect(code).not.toBe(0);
        expect(stderr.trim()).toMatch(reason);
        expect((await ledgerOf(orderId)).calls).toEqual([]);
      }
    },
  };
}

const REFUSALS: [Record<string, string>, RegExp][] = [
  [{ MERCHANT: 'no-such-shop' }, /^payment\.command\.rejected: merchant .+$/m],
  [{ ENVIRONMENT_ID: 'staging' }, /^dead letter: signature_refused: .+$/m],
];

const addressIn = (form: string) =>
  existsSync(form) ? /action="([^"]+)"/.exec(readFileSync(form, 'utf8'))?.[1] : undefined;
