/** Ids are the application's own and may hold anything, slashes and percent signs too. */
export function userPath(kind: string, id: string): string {
  return `/${kind}/preferences/users/${encodeURIComponent(id)}`;
}
