/** Builds another commit of this repository in a folder of its own, as the old version of an upgrade. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { oneAtATime } from './bootstrap.mjs';
import { Expected } from './processes.mjs';
import { during } from './progress.mjs';

/** Resolves to its root folder under `.infra/releases`. Each commit is built once. */
export async function releaseAt(commit, { held, log }) {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${commit}^{commit}`], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Expected(`${commit} is no commit of this repository: git fetch --unshallow may bring it`);
  const hash = stdout.trim();
  const folder = resolve('.infra/releases', hash.slice(0, 12));
  const isBuilt = `${folder}/.built`;
  await oneAtATime(`${folder}.lock`, async () => {
    if (existsSync(isBuilt)) return;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const cwd = folder;
    const env = { ...process.env, npm_config_ignore_scripts: 'true', npm_config_update_notifier: 'false' };
    await held.run('git', ['archive', '--output', `${folder}.tar`, hash]);
    await held.run('tar', ['-xf', `${folder}.tar`, '-C', folder]);
    rmSync(`${folder}.tar`);
    const install = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
    await during(`installing packages of ${hash.slice(0, 7)} (npm ci)`, log, () =>
      held.run('npm', install, { cwd, env }),
    );
    await during(`building ${hash.slice(0, 7)} (npm run build)`, log, () =>
      held.run('npm', ['run', '--silent', 'build'], { cwd, env }),
    );
    writeFileSync(isBuilt, '');
  });
  return folder;
}
