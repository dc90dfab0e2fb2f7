import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '@tranche/testing';

const root = repositoryRoot();

export const PACKED = ['client', 'contracts', 'card-encryption'] as const;
export type PackedName = (typeof PACKED)[number];

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'tranche-packed-'));

/** Runs `npm run pack`. Resolves to the tarballs by the library's name. */
export function pack(folder: string): Record<PackedName, string> {
  const args = ['tools/dev.mjs', 'pack', '--folder', folder];
  const printed = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }).trim().split('\n');
  return Object.fromEntries(PACKED.map((name, at) => [name, join(folder, printed[at]!.split('/').at(-1)!)])) as Record<
    PackedName,
    string
  >;
}

/** Puts tarballs into a project as npm does, but without a registry: what they depend on comes from this repository. */
export function installOffline(project: string, tarballs: Record<string, string>, others: readonly string[]): void {
  for (const [name, tarball] of Object.entries(tarballs)) {
    const folder = join(project, 'node_modules/@tranche', name);
    mkdirSync(folder, { recursive: true });
    execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', folder]);
  }
  for (const name of others) {
    const link = join(project, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
}

export function writeProject(project: string, files: Record<string, string | object>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

/** Paths of all files in a folder, relative to it. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
}

export const readJson = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T;

const UNREACHABLE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTCACHED/;

/** Installs with npm as a newcomer does. False, with a line that says so, where no registry can be reached. */
export function npmInstall(project: string, ...packages: string[]): boolean {
  mkdirSync(project, { recursive: true });
  // Without it npm would take a project of a folder above for this one.
  if (!existsSync(join(project, 'package.json'))) writeProject(project, { 'package.json': { private: true } });
  // The settings of the npm that runs this test are none of a newcomer's.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(?!config_registry)/i.test(name)),
  );
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...packages];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: project, env, encoding: 'utf8' });
  if (status === 0) {
    // A line such as EBADENGINE or ERESOLVE would frighten a newcomer.
    expect(stderr).toBe('');
    return true;
  }
  if (!UNREACHABLE.test(stderr)) throw new Error(`npm install ${packages.join(' ')}\n${stdout}${stderr}`);
  console.warn(`skipped: npm can not reach a registry for ${packages.join(', ')}`);
  return false;
}
