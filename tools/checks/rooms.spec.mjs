import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { circleOfRooms } from './rooms.mjs';

/** Projects whose rooms still have circles. A project that has none any more leaves this list, and none joins it. */
const NOT_YET = ['apps/platform-simulator'];

const projects = ['apps', 'libs']
  .flatMap((base) => readdirSync(base).map((name) => `${base}/${name}`))
  .filter((project) => existsSync(`${project}/src`))
  .concat('verification');
const rootOf = (project) => (existsSync(`${project}/src`) ? `${project}/src` : project);

let planted;
beforeEach(() => (planted = mkdtempSync(join(tmpdir(), 'rooms-'))));
afterEach(() => rmSync(planted, { recursive: true }));

function plant(files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(planted, path)), { recursive: true });
    writeFileSync(join(planted, path), text);
  }
  return circleOfRooms(planted);
}

it.each(projects.filter((project) => !NOT_YET.includes(project)))('the rooms of %s have no circle', (project) => {
  expect(circleOfRooms(rootOf(project))).toBeUndefined();
});

it.each(NOT_YET)('%s is listed because its rooms have one', (project) => {
  expect(circleOfRooms(rootOf(project))).toMatch(' -> ');
});

it.each([
  ['of two folders', { 'a/x.ts': "import { y } from '../b/y.js';", 'b/z.ts': "export { x } from '../a/x.js';" }],
  [
    'by types alone',
    { 'a/x.ts': "import type { Y } from '../b/y.js';", 'b/y.ts': "import type { X } from '../a/x.js';" },
  ],
  ['of components', { 'a/x.tsx': "import { Y } from '../b/y.js';", 'b/y.tsx': "import { X } from '../a/x.tsx';" }],
  [
    'by a late import',
    { 'a/x.ts': "import { y } from '../b/y.js';", 'b/y.ts': "const x = await import('../a/x.js');" },
  ],
  [
    'through a file of src, on several lines',
    {
      'a/x.ts': "import {\n  b,\n} from '../b.js';",
      'b.ts': "import { c } from './c/y.js';",
      'c/y.ts': "import '../a/x.js';",
    },
  ],
])('a circle is found: %s', (_which, files) => {
  expect(plant(files)).toMatch(/: (\w) -> .*-> \1 \(/);
});

it('a room may be used by several, also in a diamond, and its specs may use all', () => {
  const circle = plant({
    'a/x.ts': "import { b } from '../b/y.js';\nimport { c } from '../c/y.js';",
    'b/y.ts': "import { d } from '../d/y.js';",
    'c/y.ts': "import { d } from '../d/y.js';",
    'd/y.ts': 'export const d = 1;',
    'd/y.spec.ts': "import { x } from '../a/x.js';",
  });
  expect(circle).toBeUndefined();
});
