import { defaultClientConditions, defineConfig } from 'vite';

const service = process.env.CARILLON_URL ?? 'http://127.0.0.1:8400';

/**
 * `npx vite dashboard` serves the pages in front of a running service; scripts/build-dashboard.mjs builds what the
 * service serves.
 */
export default defineConfig({
  root: import.meta.dirname,
  resolve: { conditions: ['carillon-source', ...defaultClientConditions] },
  build: {
    target: 'es2022',
    outDir: '../server/dist/dashboard',
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    // Fonts and images stay files: the content policy allows data: URLs for the messages of users only.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      // Plugin timings do not concern people who start the service, and are always long on a busy machine.
      checks: { bundlerTimings: false },
      onwarn: (warning, warn) => {
        // Packages mark client code with a directive: here all code is client code.
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
