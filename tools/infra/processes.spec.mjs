import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Expected, holdProcesses } from './processes.mjs';
import { toldAs } from './run-tool.mjs';

const PREFIX = `tranche-held-${process.pid}-`;
const ours = () => readdirSync(tmpdir()).filter((name) => name.startsWith(PREFIX));

it('removes its folders, and makes none when the end has come: nobody would remove it', async () => {
  const held = holdProcesses();
  held.folder(PREFIX);
  expect(ours()).toHaveLength(1);
  const closed = held.close();
  expect(() => held.folder(PREFIX)).toThrow('stopping');
  await closed;
  expect(() => held.folder(PREFIX)).toThrow('stopping');
  expect(ours()).toEqual([]);
});

it('tells an error of the file system in one line, one of ours with its stack', () => {
  const denied = Object.assign(new Error("EACCES: permission denied, mkdir '/x/.infra'"), {
    syscall: 'mkdir',
    path: '/x/.infra',
  });
  expect(toldAs(denied)).toBe(
    "EACCES: permission denied, mkdir '/x/.infra'; see that it can be read and written, or name another one",
  );
  expect(toldAs(new Expected('a line'))).toBe('a line');
  const mistake = new TypeError('undefined is not a function');
  expect(toldAs(mistake)).toBe(mistake);
});
