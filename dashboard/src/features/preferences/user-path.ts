/** Ids are chosen by the application and may contain slashes and percent signs. */
export function userPath(kind: string, id: string): string {
  return `/${kind}/preferences/users/${encodeURIComponent(id)}`;
}
