/** `npm run demo` as a process of a test, on the Kafka and Redis of the tests. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { infrastructure } from '@tranche/testing';

/** Demos of one test file; one that a failed test left running ends with that test. */
export function demos() {
  const temporary = mkdtempSync(join(tmpdir(), 'tranche-demo-test-'));
  afterAll(() => rmSync(temporary, { recursive: true, force: true }));
  const started = [];
  afterEach(async () => {
    for (const { demo, exited } of started.splice(0)) {
      demo.kill('SIGTERM');
      await exited;
    }
  });

  return {
    /** The temporary folder of these demos. */
    temporary,

    /** Topics and index have a prefix of the demo's own. */
    start(...args) {
      const { brokers, redisUrl } = infrastructure();
      const env = { ...process.env, KAFKA_BROKERS: brokers, REDIS_URL: redisUrl, TMPDIR: temporary };
      delete env.npm_lifecycle_event;
      const demo = spawn(process.execPath, ['tools/dev.mjs', 'demo', ...args], { env });
      const said = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr']) demo[name].on('data', (chunk) => (said[name] += chunk));
      const exited = new Promise((done) => demo.once('close', (code, signal) => done(code ?? signal)));
      started.push({ demo, exited });
      return { demo, said, exited };
    },

    /** Lists what ended demos left in the temporary folder. */
    leftOvers: () => readdirSync(temporary).filter((name) => name.startsWith('tranche-')),
  };
}
