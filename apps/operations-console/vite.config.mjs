import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `npx vite` in this folder serves the page as it is written, with the API of a running stack. */
const operations = process.env.OPERATIONS_URL ?? 'http://127.0.0.1:4060';

/** Compresses each file once, with the best ratio, so that operations only sends bytes. */
const compressed = () => ({
  name: 'compressed',
  apply: 'build',
  writeBundle({ dir }) {
    const assets = join(dir, 'assets');
    for (const path of readdirSync(assets).map((name) => join(assets, name))) {
      const bytes = readFileSync(path);
      writeFileSync(`${path}.br`, brotliCompressSync(bytes));
      writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    }
  },
});

/** Puts the paths of the pages beside index.html: operations answers each of them with the page. */
const listedPages = () => ({
  name: 'listed-pages',
  apply: 'build',
  generateBundle() {
    const listed = JSON.parse(readFileSync(new URL('./src/pages.json', import.meta.url), 'utf8'));
    this.emitFile({ type: 'asset', fileName: 'pages.json', source: JSON.stringify(Object.keys(listed)) });
  },
});

export default defineConfig({
  plugins: [react(), compressed(), listedPages()],
  // Other tools of the repository bring an older React, which the libraries would otherwise find first.
  resolve: { dedupe: ['react', 'react-dom'] },
  build: {
    outDir: 'dist/page',
    target: 'es2022',
    // The policy allows no inline code, style or data address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    reportCompressedSize: false,
  },
  server: { proxy: { '/v1': operations, '/console.json': operations } },
});
