import { waitUntil } from './app.ts';

export interface StreamEvent {
  id: string | null;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the wire holds and asserts on it
  data: any;
}

/** A reader of Server-Sent Events over fetch, as a browser's would be. */
export interface TestStream {
  response: Response;
  events: StreamEvent[];
  comments: string[];
  /** The last id seen: what a reader comes back with. */
  lastId(): string | null;
  /** Waits until this many events of the type came; answers with all of that type. */
  waitFor(event: string, count?: number): Promise<StreamEvent[]>;
  /** Resolves when the server ended it. */
  ended: Promise<void>;
  /** Breaks off. */
  close(): void;
}

export async function openStream(url: string, headers: Record<string, string> = {}): Promise<TestStream> {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  const events: StreamEvent[] = [];
  const comments: string[] = [];
  let lastId: string | null = null;

  function take(block: string): void {
    const fields: Record<string, string> = {};
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) comments.push(line.slice(1));
      else fields[line.slice(0, line.indexOf(':'))] = line.slice(line.indexOf(': ') + 2);
    }
    if (fields.id !== undefined) lastId = fields.id;
    if (fields.data === undefined) return;
    events.push({ id: fields.id ?? null, event: fields.event ?? 'message', data: JSON.parse(fields.data) });
  }

  async function read(): Promise<void> {
    if (!response.ok) return;
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) take(block);
    }
  }

  return {
    response,
    events,
    comments,
    lastId: () => lastId,
    waitFor: (event, count = 1) =>
      waitUntil(async () => {
        const found = events.filter((candidate) => candidate.event === event);
        const seen = () => events.map(({ event, data }) => `${event} ${JSON.stringify(data).slice(0, 200)}`);
        return found.length >= count ? found : new Error(`only ${seen().slice(-20).join('; ')}`);
      }, 20_000),
    ended: read().catch(() => {}),
    close: () => abort.abort(),
  };
}
