/** Bundles the fold of another commit as one module, with that commit's corpus, so that `verification/oracle` can compare it with today's fold. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Expected } from './processes.mjs';

const PARTS = ['libs/order-journal/src/state', 'libs/order-journal/test/corpus', 'libs/contracts/src'];

/** Exports for the oracle, from the files of the old state. */
const ENTRY = `
export { fold } from './libs/order-journal/src/state/fold.ts';
export { emptyOrder } from './libs/order-journal/src/state/order-state.ts';
export { historyOf } from './libs/order-journal/src/state/history.ts';
export { carriedState as snapshot } from './libs/order-journal/src/state/carried.ts';
export { evidenceResult, execCodeNotes } from './libs/order-journal/src/state/evidence.ts';
export { operationTag } from './libs/order-journal/src/state/extradata-tag.ts';
export { RULES_VERSIONS } from './libs/order-journal/src/state/rules-version.ts';
`;

/** Returns a folder with `fold.mjs` and the corpus. */
export async function oldFold(commit, { held }) {
  const folder = held.folder('tranche-old-fold-');
  const { status, stderr } = spawnSync('git', ['archive', '--output', join(folder, 'old.tar'), commit, ...PARTS], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Expected(`${commit} has no fold that the oracle knows: ${stderr.trim()}`);
  await held.run('tar', ['-xf', join(folder, 'old.tar'), '-C', folder]);
  const entry = join(folder, 'entry.ts');
  writeFileSync(entry, ENTRY);
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    input: entry,
    platform: 'node',
    resolve: {
      alias: { '@tranche/contracts': join(folder, 'libs/contracts/src/index.ts') },
      extensionAlias: { '.js': ['.ts', '.js'] },
      modules: [join(process.cwd(), 'node_modules'), 'node_modules'],
    },
    // The contracts' classes have decorators; the fold itself has none.
    transform: { decorator: { legacy: true, emitDecoratorMetadata: false } },
    onLog: () => {},
  });
  await build.write({ file: join(folder, 'fold.mjs'), format: 'esm', codeSplitting: false });
  await build.close();
  return folder;
}
