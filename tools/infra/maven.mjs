import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { NO_TRACES } from './packages.mjs';
import { Expected } from './processes.mjs';

/**
 * Fills a folder that does not exist yet from Maven Central. `goal` is copy-dependencies, or unpack-dependencies to extract the files of
 * the jars. Maven first writes into another folder, so that an interrupted download never counts as complete.
 */
export async function fetchThroughMaven({ held, folder, dependencies, goal, properties = [] }) {
  mkdirSync(resolve('.infra'), { recursive: true });
  const workFolder = held.removeAtEnd(mkdtempSync(resolve('.infra', 'fetching-')));
  try {
    const project = join(workFolder, 'pom.xml');
    const files = join(workFolder, 'files');
    writeFileSync(project, pom(dependencies));
    await runMaven(held, ['-f', project, `dependency:${goal}`, `-DoutputDirectory=${files}`, ...properties]);
    if (!existsSync(files) || readdirSync(files).length === 0) throw new Expected(`Maven (${goal}) gave no file`);
    if (!existsSync(folder)) renameSync(files, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // another run was faster
  } finally {
    rmSync(workFolder, { recursive: true, force: true });
  }
}

export function runMaven(held, args) {
  const MAVEN_OPTS = [process.env.MAVEN_OPTS, NO_TRACES].filter(Boolean).join(' ');
  return held.run('mvn', ['-q', '-B', ...args], { env: { ...process.env, MAVEN_OPTS } });
}

export function pom(dependencies) {
  const entries = dependencies.map(
    ([group, artifact, version]) =>
      `    <dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`,
  );
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>tranche</groupId><artifactId>infrastructure</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
${entries.join('\n')}
  </dependencies>
</project>
`;
}
