/** The scopes of a key. Each route names the one scope it needs; presets are sets of scopes. */
export const scopes = [
  'notifications:send',
  'notifications:read',
  'notifications:write',
  'templates:read',
  'templates:write',
  'templates:promote', // from Test to Live; never implied by :write
  'preferences:read',
  'preferences:write',
  'audiences:read',
  'audiences:write',
  'broadcasts:read',
  'broadcasts:write',
  'suppressions:read',
  'suppressions:write',
  'webhooks:read',
  'webhooks:write',
  'channels:read',
  'channels:write',
  'workflows:trigger',
  'workflows:read',
  'workflows:write',
  'workflows:promote',
  'schedules:read',
  'schedules:write',
  'brake:read',
  'brake:write', // limits, freezes and releases
  'keys:read',
  'keys:write',
] as const;
export type Scope = (typeof scopes)[number];

export const presets = {
  full_access: scopes,
  send_only: ['notifications:send', 'workflows:trigger'],
  read_only: scopes.filter((scope) => scope.endsWith(':read')),
} as const satisfies Record<string, readonly Scope[]>;
export type Preset = keyof typeof presets;

export const roles = ['owner', 'admin', 'developer', 'viewer'] as const;
export type Role = (typeof roles)[number];

/**
 * The scopes of dashboard roles: a developer does everything except manage keys (and may promote, because they may edit Live);
 * a viewer only reads.
 */
export const roleScopes: Record<Role, readonly Scope[]> = {
  owner: scopes,
  admin: scopes,
  developer: scopes.filter((scope) => !scope.startsWith('keys:')),
  viewer: presets.read_only.filter((scope) => !scope.startsWith('keys:')),
};
