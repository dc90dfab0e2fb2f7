/** Checks the chapters on disaster recovery: each must name tests that exist. */
import { testTitles } from './test-titles.mjs';

const SECTION = 'Disaster recovery';
const NAMED = /`([^`]+\.[cm]?[jt]s)`((?:[,\s]*"[^"]+")*)/g;

/**
 * Returns one line per chapter without a test, and per test that does not exist. A scenario of `npm run faults` is named by its file and
 * its name.
 */
export function recoveryFaults(document, text, files, textOf) {
  const [, section] = new RegExp(`^## ${SECTION}\\s*$([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, 'm').exec(text) ?? [];
  const chapters = (section ?? '').split(/^### /m).slice(1);
  if (chapters.length === 0) return [`${document}: has no chapters under "${SECTION}"`];
  return chapters.flatMap((chapter) => {
    const [heading] = chapter.split('\n', 1);
    return chapterFaults(chapter, files, textOf).map((fault) => `${document}, "${heading}": ${fault}`);
  });
}

function chapterFaults(chapter, files, textOf) {
  const [, tests = ''] = /^- \*\*Test\.\*\* ([\s\S]*?)(?=^- \*\*|^\s*$|(?![\s\S]))/m.exec(chapter) ?? [];
  const named = [...tests.matchAll(NAMED)].flatMap(([, file, quoted]) => {
    const titles = [...quoted.matchAll(/"([^"]+)"/g)].map(([, title]) => title.replace(/\s+/g, ' '));
    return (titles.length > 0 ? titles : [undefined]).map((title) => ({ file, title }));
  });
  if (named.length === 0) return ['names no test'];
  return named.flatMap(({ file, title }) => {
    if (!files.has(file)) return [`${file} does not exist`];
    if (title === undefined) return [`${file} is named without a test of it`];
    return isThere(file, title, textOf(file)) ? [] : [`${file} has no test "${title}"`];
  });
}

function isThere(file, title, text) {
  if (/\.spec\.[cm]?[jt]s$/.test(file)) return testTitles(text).some((known) => known.includes(title));
  return [`'${title}'`, `\`${title}`].some((name) => text.includes(name));
}
