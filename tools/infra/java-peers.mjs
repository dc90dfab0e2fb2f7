/** Builds the Java peers of the gateway's bench into .infra, once for each state of their sources. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runMaven } from './maven.mjs';
import { ensurePackages } from './packages.mjs';
import { Expected } from './processes.mjs';

const SOURCES = 'verification/bench/peers/java';
const PREFIX = 'bench-peers-';

/** Resolves to the folder of the jars, or to undefined, and says why, where the machine cannot build them. */
export async function javaPeers({ held, log }) {
  const home = resolve('.infra');
  const folder = join(home, PREFIX + digest());
  const isBuilt = existsSync(folder);
  try {
    await ensurePackages(isBuilt ? ['java'] : ['java', 'maven'], { held, log });
    if (isBuilt) return folder;
    log('building the Java peers through Maven');
    mkdirSync(home, { recursive: true });
    const output = held.removeAtEnd(mkdtempSync(join(home, 'building-')));
    const goals = ['package', 'dependency:copy-dependencies', `-Doutput=${output}`, `-DoutputDirectory=${output}`];
    await runMaven(held, ['-f', join(SOURCES, 'pom.xml'), ...goals]);
    for (const old of readdirSync(home).filter((name) => name.startsWith(PREFIX))) rmSync(join(home, old), { recursive: true }); // prettier-ignore
    renameSync(output, folder);
    return folder;
  } catch (error) {
    if (!(error instanceof Expected)) throw error;
    log(`parallel-consumer, parallel-consumer-vertx and spring-kafka are left out: ${error.message}`);
    return undefined;
  }
}

function digest() {
  const hash = createHash('sha256');
  for (const name of readdirSync(SOURCES).filter((one) => /\.(?:java|xml)$/.test(one)).sort()) hash.update(readFileSync(join(SOURCES, name))); // prettier-ignore
  return hash.digest('hex').slice(0, 12);
}
