import { ApiError, type CarillonError, errorOfType } from './errors.ts';

/** What an answer holds: JSON, text where an operation answers with text, nothing for 204. Throws whatever is not a success. */
export async function readAnswer(response: Response, wantsText: boolean): Promise<unknown> {
  const text = await response.text();
  if (!response.ok) throw refusal(response, text);
  if (response.status === 204 || response.status === 205) return undefined;
  if (wantsText) return text;
  const value = parseJson(response, text);
  if (value === undefined) throw unexpected(response, text);
  return value;
}

function refusal(response: Response, text: string): CarillonError {
  const { error } = (parseJson(response, text) ?? {}) as { error?: Record<string, unknown> };
  if (typeof error?.type !== 'string' || typeof error.code !== 'string') return unexpected(response, text);
  return errorOfType(String(error.message), {
    type: error.type,
    code: error.code,
    param: typeof error.param === 'string' ? error.param : null,
    ...factsOf(response),
  });
}

/** An answer of somebody else: a proxy, a login page, another program on that port. It shows what came, shortened. */
export function unexpected(response: Response, text: string): ApiError {
  const location = response.headers.get('location');
  const kind = response.headers.get('content-type') ?? 'no content type';
  const what = location ? `a redirect to ${location}` : `${kind}, ${beginningOf(text)}`;
  const { origin } = new URL(response.url || 'http://unknown');
  const where = response.url ? ` from ${origin}` : '';
  return new ApiError(
    `The response${where} is not from Carillon: HTTP ${response.status}, ${what}. Check base_url.`,
    {
      type: 'api_error',
      code: 'unexpected_response',
      ...factsOf(response),
    },
  );
}

function parseJson(response: Response, text: string): unknown {
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(response.headers.get('content-type') ?? ''))
    return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function beginningOf(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat === '' ? 'empty' : `beginning with “${flat.slice(0, 100)}”`;
}

function factsOf({ status, headers }: Response) {
  return {
    status,
    request_id: headers.get('x-request-id'),
    retry_after_ms: retryAfterMs(headers.get('retry-after'), Date.now()),
  };
}

/** Seconds, or a date. */
export function retryAfterMs(value: string | null, nowMs: number): number | null {
  if (value === null || value.trim() === '') return null;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}
