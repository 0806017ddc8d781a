#!/usr/bin/env node
// In a checkout the bundle is made when a source has changed; the published package brings it along.
import { existsSync } from 'node:fs';

const builder = new URL('../../scripts/build-cli.mjs', import.meta.url);
if (existsSync(builder) && existsSync(new URL('../src/main.ts', import.meta.url))) {
  const { ensureCli } = await import(builder.href);
  await ensureCli();
}
await import(new URL('../dist/carillon.js', import.meta.url).href);
