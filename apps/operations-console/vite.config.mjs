import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `npx vite` in this folder serves the page as it is written, with the API of a running stack. */
const operations = process.env.OPERATIONS_URL ?? 'http://127.0.0.1:4060';

export default defineConfig({
  plugins: [react()],
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
