/** One thing that was looked at. `skip`: it could not be looked at, and why. */
export interface Check {
  area: 'service' | 'key' | 'connections' | 'domain' | 'unsubscribe';
  name: string;
  status: 'ok' | 'warn' | 'fail' | 'skip';
  detail: string;
  /** What to do, or what to publish. */
  advice: string | null;
}

export type Verdict = Pick<Check, 'status' | 'detail'> & { advice?: string | null };

export const checkOf = (area: Check['area'], name: string, verdict: Verdict): Check => ({
  area,
  name,
  advice: null,
  ...verdict,
});
