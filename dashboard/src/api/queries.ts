import { CarillonError, type Client } from '@carillon/sdk';
import {
  type QueryKey,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import { useToast } from '../ui/toast.tsx';
import { useEnvironment } from './environment.tsx';
import { type Page, skipEmptyPages } from './pages.ts';

interface ReadOptions<T = never> {
  /** The polling interval while the page is visible. A read can derive it from the last result. */
  everyMs?: number | false | ((last: T | undefined) => number | false);
  enabled?: boolean;
  /** True shows the previous result while the next one loads. */
  keep?: boolean;
}

/** Reads from the API in the current environment; `key` identifies the result, without the environment. */
export function useRead<T>(
  key: QueryKey,
  read: (api: Client, signal: AbortSignal) => Promise<T>,
  options: ReadOptions<T> = {},
) {
  const { api, environment } = useEnvironment();
  const { everyMs = false } = options;
  return useQuery<T>({
    queryKey: [environment.id, ...key],
    queryFn: ({ signal }) => read(api, signal),
    refetchInterval: typeof everyMs === 'function' ? ({ state }) => everyMs(state.data) : everyMs,
    enabled: options.enabled ?? true,
    ...(options.keep ? { placeholderData: keepWithin(environment.id) } : {}),
  });
}

/** Keeps the previous result within one environment: figures of Test must never appear under Live. */
function keepWithin(environmentId: string) {
  return <T>(former: T | undefined, query?: { queryKey: QueryKey }): T | undefined =>
    query?.queryKey[0] === environmentId ? former : undefined;
}

/** Longer lists stop polling: each page is a request, and the reader is further down. */
const livePages = 3;

/** Reads a list page by page. */
export function useList<Item>(
  key: QueryKey,
  readPage: (api: Client, cursor: string | undefined, signal: AbortSignal) => Promise<Page<Item>>,
  options: Omit<ReadOptions, 'everyMs'> & { everyMs?: number | false } = {},
) {
  const { api, environment } = useEnvironment();
  const query = useInfiniteQuery({
    queryKey: [environment.id, ...key],
    queryFn: ({ signal, pageParam }) => skipEmptyPages((cursor) => readPage(api, cursor, signal), pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: ({ state }) =>
      (state.data?.pages.length ?? 0) > livePages ? false : (options.everyMs ?? false),
    enabled: options.enabled ?? true,
    ...(options.keep ? { placeholderData: keepWithin(environment.id) } : {}),
  });
  return { ...query, items: query.data?.pages.flatMap((page) => page.data) ?? [] };
}

interface WriteOptions<Input, Output> {
  /** Prefixes of the query keys to invalidate, without the environment. */
  changes?: QueryKey[];
  /** The toast after success. */
  done?: string | ((output: Output, input: Input) => string);
  onDone?: (output: Output, input: Input) => void;
  /** True when the caller shows the error, for example beside a field. */
  quiet?: boolean;
}

/**
 * Changes data through the API, shows a toast and invalidates the queries in `changes`. A call with the same input as
 * one in flight returns the promise of the first.
 */
export function useWrite<Input = void, Output = unknown>(
  write: (api: Client, input: Input) => Promise<Output>,
  options: WriteOptions<Input, Output> = {},
) {
  const { api, environment } = useEnvironment();
  const queries = useQueryClient();
  const toast = useToast();
  const mutation = useMutation({
    mutationFn: (input: Input) => write(api, input),
    onSuccess: async (output, input) => {
      const { done } = options;
      if (done) toast.say(typeof done === 'string' ? done : done(output, input));
      options.onDone?.(output, input);
      await Promise.all(
        (options.changes ?? []).map((key) =>
          queries.invalidateQueries({ queryKey: [environment.id, ...key] }),
        ),
      );
    },
    onError: (error) => {
      if (!options.quiet) toast.error(error);
    },
  });
  // A double click arrives before the button renders as busy.
  const asked = useRef<{ input: string; answer: Promise<Output> } | null>(null);
  const { mutateAsync: begin } = mutation;
  const mutateAsync = useCallback<typeof begin>(
    (...given) => {
      const input = JSON.stringify(given[0]) ?? '';
      if (asked.current?.input === input) return asked.current.answer;
      const answer = begin(...given).finally(() => {
        if (asked.current?.answer === answer) asked.current = null;
      });
      asked.current = { input, answer };
      return answer;
    },
    [begin],
  );
  const mutate = useCallback<typeof mutation.mutate>(
    (...given) => {
      mutateAsync(...given).catch(() => {}); // onError shows it.
    },
    [mutateAsync],
  );
  return { ...mutation, mutate, mutateAsync };
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof CarillonError && error.code === code;
}

/** Returns the message of an error about this request field, else null. */
export function errorOf(error: unknown, param: string): string | null {
  return error instanceof CarillonError && error.param === param ? error.message : null;
}
