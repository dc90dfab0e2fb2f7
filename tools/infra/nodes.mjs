/** Installs other versions of Node.js into `.infra/nodes`, from npm packages that hold only the binary and run no script. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Expected } from './processes.mjs';
import { during } from './progress.mjs';

/** Returns a range for each major version in package.json's `engines`; for an open range (`>=24.11.0`) only its first major version. */
export function supportedNodes(engines = JSON.parse(readFileSync('package.json', 'utf8')).engines.node) {
  return engines.split('||').map((range) => {
    const [, major, rest] = /^(?:\^|>=)(\d+)(\.\d+\.\d+)$/.exec(range.trim()) ?? [];
    if (major === undefined) throw new Error(`engines: "${range}" is not of the form ^1.2.3 or >=1.2.3`);
    return { major: Number(major), range: `^${major}${rest}` };
  });
}

export async function ensureNode({ major, range }, { held, log }) {
  const folder = resolve(`.infra/nodes/${major}`);
  const name = `node-${process.platform}-${process.arch}`;
  const binary = resolve(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (!existsSync(binary)) {
    mkdirSync(folder, { recursive: true });
    const args = [
      'install',
      '--ignore-scripts',
      '--no-save',
      '--no-package-lock',
      '--no-audit',
      '--no-fund',
      '--workspaces=false',
    ];
    await during(`fetching Node.js ${range}`, log, () =>
      held.run('npm', [...args, '--prefix', folder, `${name}@${range}`], { cwd: folder }),
    );
  }
  const { stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8' });
  if (!stdout?.startsWith(`v${major}.`)) throw new Expected(`${binary} does not start; remove ${folder} and try again`);
  return binary;
}
