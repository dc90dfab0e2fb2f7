import { spawnSync } from 'node:child_process';

it.each(['plain', 'blank', 'user'])(
  'every command works as the first one in a fresh clone, or says in one line what to install: %s',
  (variant) => {
    const args = ['tools/dev.mjs', 'first-commands', '--in', variant, '--json'];
    const { npm_lifecycle_event: _npm, ...env } = process.env;
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env, maxBuffer: 2 ** 26 });
    if (!stdout) throw new Error(`first-commands ended without a result\n${stderr.slice(-2_000)}`);
    const { rows } = JSON.parse(stdout.trimEnd().split('\n').at(-1));
    expect(rows.filter(({ passed }) => !passed)).toEqual([]);
  },
  4 * 60 * 60_000,
);
