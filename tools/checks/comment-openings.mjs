/** Openings of comments that leave out who does something: the reader has to guess the subject. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const OPENING = /^(What|Whatever|Of|Whether|Where|Wherever|Who|Whoever|Whose|Which|Whichever|How)\b/;
const FOLDERS = ['apps', 'libs', 'tools', 'verification', 'examples'];
const SOURCE = /\.(tsx?|[mc]?js)$/;

/** Lines, counted from 1, at which a comment of this text begins so. */
export function hiddenSubjects(text) {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    const before = (lines[index - 1] ?? '').trim();
    const [, begin, first] = /^\s*(\/\*\*?|\/\/|\*) *(\S.*)$/.exec(line) ?? /[;,{(] (\/\/) (.*)$/.exec(line) ?? [];
    const isFirst =
      begin?.startsWith('/*') ||
      (begin === '//' && !before.startsWith('//')) ||
      (begin === '*' && /^\/\*\*?$/.test(before));
    return isFirst && OPENING.test(first) ? [index + 1] : [];
  });
}

/** `PATH:LINE` of each such comment of the repository. */
export function commentsWithHiddenSubject() {
  return FOLDERS.flatMap(sourcesIn).flatMap((path) =>
    hiddenSubjects(readFileSync(path, 'utf8')).map((line) => `${path}:${line}`),
  );
}

function sourcesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : sourcesIn(path);
    return SOURCE.test(entry.name) ? [path] : [];
  });
}
