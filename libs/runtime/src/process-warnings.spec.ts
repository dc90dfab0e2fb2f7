import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const RUNTIME = pathToFileURL(join(__dirname, '../dist/index.js')).href;

it('reports a warning of Node.js once, and prints nothing', () => {
  const program = `
    import { reportWarnings } from ${JSON.stringify(RUNTIME)};
    reportWarnings(({ message }) => console.log(message));
    process.emitWarning('another one');
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: 'another one\n', stderr: '' });
});
