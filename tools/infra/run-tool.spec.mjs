import { spawn } from 'node:child_process';
import { once } from 'node:events';

const LENGTH = 3_000_000;

it('a reader that is slow gets all that a tool prints', async () => {
  const story = `
    import { runTool } from '${new URL('run-tool.mjs', import.meta.url)}';
    setTimeout(() => process.stderr.write('is still there'), 300);
    await runTool(() => console.log('x'.repeat(${LENGTH - 1})));`;
  const tool = spawn(process.execPath, ['--input-type=module', '-e', story]);
  await Promise.race([once(tool, 'exit'), once(tool.stderr, 'data')]);
  let length = 0;
  tool.stdout.on('data', (text) => (length += text.length));
  expect(await once(tool, 'close')).toEqual([0, null]);
  expect(length).toBe(LENGTH);
});

it('a tool fails where a signal ended the child that it stands for', async () => {
  const story = `
    import { runTool } from '${new URL('run-tool.mjs', import.meta.url)}';
    await runTool(({ held }) => held.start('sh', ['-c', 'kill -KILL $$']).exited);`;
  const tool = spawn(process.execPath, ['--input-type=module', '-e', story]);
  expect(await once(tool, 'close')).toEqual([1, null]);
});
