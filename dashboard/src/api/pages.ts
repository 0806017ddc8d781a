export interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

const mostPages = 20;

/**
 * Where filters have little in common, pages may be empty though more follow. Nobody wants to press a button for each; but
 * after so many somebody should say whether to look on.
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
