// `npm run screenshots`: takes the pictures of the README (docs/images) from a service with made-up traffic.
import { ensureDashboard } from './build-dashboard.mjs';
import { ensureChromium } from './chromium.mjs';
import { ensureInstalled } from './install.mjs';
import { runTypeScript } from './run-typescript.mjs';

await ensureInstalled();
await ensureChromium();
await ensureDashboard();
process.exitCode = await runTypeScript('dashboard/test/readme-pictures.ts', []);
