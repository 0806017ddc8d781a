import { defaultClientConditions, defineConfig } from 'vite';

const service = process.env.CARILLON_URL ?? 'http://127.0.0.1:8400';

/** `npx vite dashboard` works on the pages against a running service; scripts/build-dashboard.mjs makes what is served. */
export default defineConfig({
  root: import.meta.dirname,
  resolve: { conditions: ['carillon-source', ...defaultClientConditions] },
  build: {
    target: 'es2022',
    outDir: '../server/dist/dashboard',
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    // Fonts and pictures stay files: the pages allow no data: addresses but for what users put into their messages.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      // How long a plugin takes is news to nobody who starts the service, and on a busy machine it is always long.
      checks: { bundlerTimings: false },
      onwarn: (warning, warn) => {
        // Packages mark what runs in the browser: here that is everything.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/auth', '/oauth', '/docs', '/openapi.json', '/workflows', '/status', '/healthz'].map(
        (path) => [path, service],
      ),
    ),
  },
});
