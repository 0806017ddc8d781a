// Checks openapi.json with the rules of Redocly, which are those that generators of clients and the reference rely on.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BaseResolver, createConfig, lintDocument, makeDocumentFromString } from '@redocly/openapi-core';
import { root } from './setup.mjs';

const config = await createConfig({
  extends: ['recommended-strict'],
  rules: {
    'parameter-description': 'error',
    'no-invalid-media-type-examples': 'error',
    'no-invalid-parameter-examples': 'error',
    // `/v1/workflows/{key}/promote` and `/v1/workflows/runs/{runId}`: the paths are given, and no workflow can have the key `runs`.
    'no-ambiguous-paths': 'off',
    // Health checks, metrics and documents take no input, so no request to them is wrong.
    'operation-4xx-response': 'off',
  },
});
const name = 'openapi.json';
const document = makeDocumentFromString(readFileSync(join(root, name), 'utf8'), name);
const problems = await lintDocument({ document, externalRefResolver: new BaseResolver(), config });
for (const { ruleId, message, location } of problems)
  console.log(`${name}${location[0]?.pointer ?? ''}: ${message} (${ruleId})`);
if (problems.length > 0) process.exitCode = 1;
