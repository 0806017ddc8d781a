export interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

const mostPages = 20;

/**
 * Reads past empty pages, which a filtered list returns while more pages follow: a button for each would be tedious.
 * The limit keeps one click from scanning a whole large list.
 */
export async function skipEmptyPages<Item>(
  readPage: (cursor: string | undefined) => Promise<Page<Item>>,
  cursor: string | undefined,
): Promise<Page<Item>> {
  let page = await readPage(cursor);
  for (let read = 1; read < mostPages; read += 1) {
    if (page.data.length > 0 || page.next_cursor === null) break;
    page = await readPage(page.next_cursor);
  }
  return page;
}
