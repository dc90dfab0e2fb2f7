import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const RUNTIME = pathToFileURL(join(__dirname, '../dist/index.js')).href;

it('a timer that kafkajs sets to the past is printed at nobody; other warnings are reported once', () => {
  const program = `
    import { reportWarnings } from ${JSON.stringify(RUNTIME)};
    reportWarnings(({ message }) => console.log(message));
    process.emitWarning('-5 is a negative number', 'TimeoutNegativeWarning');
    setTimeout(() => undefined, -5);
    process.emitWarning('another one');
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: 'another one\n', stderr: '' });
});
