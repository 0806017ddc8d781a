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

export interface ReadOptions<T = never> {
  /** Asked again this often while the page is in front: for what changes by itself. Of a read, also by what was read last. */
  everyMs?: number | false | ((last: T | undefined) => number | false);
  enabled?: boolean;
  /** Show the former answer while a new one is fetched. */
  keep?: boolean;
}

/** Reads from the API in the environment of the page; `key` names what is read, without the environment. */
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

/** The former answer, unless it is of another environment: figures of Test must never stand under Live. */
function keepWithin(environmentId: string) {
  return <T>(former: T | undefined, query?: { queryKey: QueryKey }): T | undefined =>
    query?.queryKey[0] === environmentId ? former : undefined;
}

/** So many pages of a list are read again by themselves: further down somebody is reading, and each is a request. */
const livePages = 3;

/** A list that grows page by page. */
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

export interface WriteOptions<Input, Output> {
  /** What has to be read again afterwards: the beginnings of its keys, without the environment. */
  changes?: QueryKey[];
  /** Said when it is done. */
  done?: string | ((output: Output, input: Input) => string);
  onDone?: (output: Output, input: Input) => void;
  /** The caller shows the error itself (beside a field, for example). */
  quiet?: boolean;
}

/**
 * Changes something through the API, says so, and has everything that shows it read again. Asked for the same while that is
 * being done, it does nothing more.
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
      if (!options.quiet) toast.complain(error);
    },
  });
  // A button that is pressed twice is pressed before it could be drawn as busy.
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
      mutateAsync(...given).catch(() => {}); // told by onError
    },
    [mutateAsync],
  );
  return { ...mutation, mutate, mutateAsync };
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof CarillonError && error.code === code;
}

/** The message for the field that an error names; null when it is about another one. */
export function errorOf(error: unknown, param: string): string | null {
  return error instanceof CarillonError && error.param === param ? error.message : null;
}
