import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g;

/** The room of a file: its folder right below src. A file that lies in src itself is a room of its own. */
const roomOf = (path) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : path.replace(/\.(js|ts)$/, ''));

/** Relative imports between the rooms of a project, imports of types included: `room -> { other room -> one importing file }`. Specs are left out. */
function importsBetweenRooms(src) {
  const rooms = new Map();
  for (const path of readdirSync(src, { recursive: true })) {
    if (!path.endsWith('.ts') || path.endsWith('.spec.ts')) continue;
    for (const [, named] of readFileSync(join(src, path), 'utf8').matchAll(IMPORT)) {
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
export function circleOfRooms(src) {
  const rooms = importsBetweenRooms(src);
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
      return `${relative(process.cwd(), src)}: ${circle[0]}${steps.join('')}`;
    }
  }
  return undefined;
}
