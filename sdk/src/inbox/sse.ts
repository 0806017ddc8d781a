/** One event of a stream of Server-Sent Events. */
export interface Frame {
  id: string | null;
  event: string;
  data: string;
}

/** Far above the largest event (an item with its body); a stream that goes beyond it is not ours. */
const longestFrame = 8 * 1024 * 1024;

export interface FrameReader {
  /** Takes text as it arrives, cut anywhere; gives the events that are complete. */
  push(text: string): Frame[];
}

export function createFrameReader(): FrameReader {
  let rest = '';
  let lines: string[] = [];
  let length = 0;

  return {
    push(text) {
      rest += text;
      const frames: Frame[] = [];
      // A CR at the very end may be half of a CRLF: it waits for what follows.
      for (let match = nextLine(rest); match; match = nextLine(rest)) {
        rest = rest.slice(match.end);
        length += match.line.length;
        if (match.line !== '') lines.push(match.line);
        else {
          const frame = frameOf(lines);
          if (frame) frames.push(frame);
          lines = [];
          length = 0;
        }
      }
      if (length + rest.length > longestFrame) throw new Error('an event is too long');
      return frames;
    },
  };
}

function nextLine(text: string): { line: string; end: number } | null {
  const at = text.search(/\r\n|\n|\r(?!$)/);
  if (at === -1) return null;
  return { line: text.slice(0, at), end: at + (text.startsWith('\r\n', at) ? 2 : 1) };
}

function frameOf(lines: string[]): Frame | null {
  let id: string | null = null;
  let event = 'message';
  const data: string[] = [];
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'id') id = value;
    else if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
  }
  return data.length === 0 ? null : { id, event, data: data.join('\n') };
}
