import { shellQuote } from '../../api/curl.ts';

/** The filtered list as a curl command. */
export function listAsCurl(filter: Partial<Record<string, string>>): string {
  const url = new URL('/v1/suppressions', location.origin);
  for (const [name, value] of Object.entries(filter)) if (value) url.searchParams.set(name, value);
  return `curl ${shellQuote(url.href)} -H "Authorization: Bearer $CARILLON_API_KEY"`;
}
