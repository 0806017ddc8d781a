import type { CreateApiKeyParams } from '@carillon/sdk';
import type { Scope } from '../../api/environment.tsx';
import { scopeNames } from '../../strings/settings.ts';

const scopes = Object.keys(scopeNames) as Scope[];

/** Grouped by resource: `templates:read` and `templates:write` belong together. */
export const scopesByGroup: [string, Scope[]][] = [...new Set(scopes.map(groupOf))].map((group) => [
  group,
  scopes.filter((scope) => groupOf(scope) === group),
]);

function groupOf(scope: Scope): string {
  return scope.slice(0, scope.indexOf(':'));
}

export type Preset = NonNullable<CreateApiKeyParams['preset']>;
export const presets: Preset[] = ['send_only', 'read_only', 'full_access'];
