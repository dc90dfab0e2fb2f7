import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g;

/** The room of a file: its folder right below the root. A file that lies in the root itself is a room of its own. */
const roomOf = (path) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : path.replace(/\.[jt]sx?$/, ''));

const isSource = (path) => /(?<!\.spec|\.d)\.tsx?$/.test(path) && !/^(?:dist|node_modules)\//.test(path);

/** Relative imports between the rooms of a project, imports of types included: `room -> { other room -> one importing file }`. Specs are left out. */
function importsBetweenRooms(root) {
  const rooms = new Map();
  for (const path of readdirSync(root, { recursive: true })) {
    if (!isSource(path)) continue;
    for (const [, named] of readFileSync(join(root, path), 'utf8').matchAll(IMPORT)) {
      const target = normalize(join(dirname(path), named));
      const [from, to] = [roomOf(path), roomOf(target)];
      if (target.startsWith('..') || from === to) continue;
      if (!rooms.has(from)) rooms.set(from, new Map());
      rooms.get(from).set(to, path);
    }
  }
  return rooms;
}

/** Returns a circle of rooms as `a -> b (file) -> a (file)`; undefined where a reader can take the rooms one after another. */
export function circleOfRooms(root) {
  const rooms = importsBetweenRooms(root);
  const finished = new Set();
  const visit = (room, way) => {
    const start = way.indexOf(room);
    if (start >= 0) return [...way.slice(start), room];
    if (finished.has(room)) return undefined;
    for (const next of rooms.get(room)?.keys() ?? []) {
      const circle = visit(next, [...way, room]);
      if (circle) return circle;
    }
    finished.add(room);
    return undefined;
  };
  for (const room of rooms.keys()) {
    const circle = visit(room, []);
    if (circle) {
      const steps = circle.slice(1).map((next, at) => ` -> ${next} (${rooms.get(circle[at]).get(next)})`);
      return `${relative(process.cwd(), root)}: ${circle[0]}${steps.join('')}`;
    }
  }
  return undefined;
}
