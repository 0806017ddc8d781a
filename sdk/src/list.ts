/**
 * A list of any length. `for await` walks it item by item and fetches pages as it goes; `page()` is the one page that the
 * parameters ask for, as on the wire.
 */
export interface List<Item, Page> extends AsyncIterable<Item> {
  page(): Promise<Page>;
  pages(): AsyncIterable<Page>;
}

/** How a list names its next page: two ways on the wire, and lists that are one page. */
export type Paging = 'cursor' | 'page_token' | 'whole';

interface AnyPage {
  data?: unknown[];
  items?: unknown[];
  next_cursor?: string | null;
  next_page_token?: string | null;
}

export function createList(
  paging: Paging,
  params: Record<string, unknown>,
  fetchPage: (params: Record<string, unknown>) => Promise<unknown>,
): List<unknown, unknown> {
  async function* pages(): AsyncGenerator<AnyPage> {
    const { cursor: _cursor, page_token: _token, ...filters } = params; // the caller may use either name
    for (let next: string | null = null; ; ) {
      const page = (await fetchPage(next === null ? params : { ...filters, [paging]: next })) as AnyPage;
      yield page;
      next = (paging === 'page_token' ? page.next_page_token : page.next_cursor) ?? null;
      if (next === null) return;
    }
  }
  return {
    page: () => fetchPage(params),
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page.data ?? page.items ?? [];
    },
  };
}
