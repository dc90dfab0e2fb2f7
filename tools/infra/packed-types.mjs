/** Copies the declarations that entries need, so that a package names none of our libraries that it does not have. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const LIBS = resolve('libs');
/** `import … from 'x'` and `export … from 'x'`, as the compiler writes them. */
const FROM = /^(?<head>(?:import|export) (?:type )?)(?<what>[^;']*?)(?<from> from )'(?<id>[^']+)';$/gm;
const INLINE = /import\("(?<id>[^"]+)"\)/g;
const FOR_EFFECT = /^import '[^']+';\n/gm;

/** @param entries absolute paths of `.d.ts` files in `libs/NAME/dist`; each goes to `folder/NAME/…` */
export function copyTypes(entries, folder) {
  const open = [...entries];
  const seen = new Set(open);
  const need = (file) => {
    if (!seen.has(file)) open.push(file);
    seen.add(file);
    return file;
  };
  for (const file of open) {
    const target = targetOf(file, folder);
    const to = (wanted) => relativeId(target, targetOf(need(wanted), folder));
    const text = readFileSync(file, 'utf8')
      .replaceAll(FOR_EFFECT, '')
      .replaceAll(FROM, (line, head, what, from, id) => {
        if (id.startsWith('.')) return `${head}${what}${from}'${to(declarationAt(resolve(dirname(file), id)))}';`;
        // The declarations of kafkajs have no default export.
        if (id === 'kafkajs') return line.replace(/^import kafkajs(?:, (\{.*\}))?/, namespaceAnd);
        if (!id.startsWith('@tranche/')) return line;
        return narrowed(what, id)
          .map(([names, one]) => `${head}${names}${from}'${to(one)}';`)
          .join('\n');
      })
      .replaceAll(INLINE, (found, id) => {
        if (id.startsWith('.')) return `import("${to(declarationAt(resolve(dirname(file), id)))}")`;
        return id.startsWith('@tranche/') ? `import("${to(barrel(id))}")` : found;
      });
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
}

const namespaceAnd = (_found, types) =>
  `${types === undefined ? '' : `import ${types} from 'kafkajs';\n`}import * as kafkajs`;

const declarationAt = (file) => file.replace(/\.js$/, '.d.ts');
const barrel = (id) => join(LIBS, id.replace('@tranche/', ''), 'dist/index.d.ts');
const targetOf = (file, folder) => join(folder, relative(LIBS, file).replace('/dist/', '/'));

function relativeId(from, to) {
  const path = relative(dirname(from), to).replace(/\.d\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}

/**
 * The files that declare what is imported from one of our libraries, each with its names. The whole index of libs/kafka would need the types
 * of modules that the package does not have. Names that the index passes on by `export *` come from the index.
 */
function narrowed(what, id) {
  const index = barrel(id);
  const named = /^\{([^}]*)\}$/.exec(what);
  if (named === null) return [[what, index]];
  const files = new Map();
  const specifiers = named[1].split(',').map((one) => one.trim());
  for (const specifier of specifiers.filter(Boolean)) {
    const file = declaredIn(index, /^(?:type )?(\w+)/.exec(specifier)[1]) ?? index;
    files.set(file, [...(files.get(file) ?? []), specifier]);
  }
  return [...files].map(([file, its]) => [`{ ${its.join(', ')} }`, file]);
}

function declaredIn(index, name) {
  for (const [, names, id] of readFileSync(index, 'utf8').matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';$/gm))
    if (names.split(',').some((one) => one.trim().replace(/^type /, '') === name))
      return declarationAt(resolve(dirname(index), id));
  return undefined;
}
