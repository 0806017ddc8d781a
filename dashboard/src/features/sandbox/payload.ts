import type { SandboxEmail, SandboxMessage } from '@carillon/sdk';
import type { PreviewMessage } from '../../previews/index.ts';

type Payload = SandboxMessage['payload'];

export function emailIn(payload: Payload): SandboxEmail | null {
  return 'mime' in payload && typeof payload.mime === 'string' ? (payload as SandboxEmail) : null;
}

/** Converts a stored payload into a message for the preview. */
export function previewOf({ channel, payload, to }: SandboxMessage): PreviewMessage {
  const message = { channel, subject: null, html: null, text: null, structured: null, to };
  const email = emailIn(payload);
  if (email) {
    const { subject, html, text } = email;
    return { ...message, subject, html, text, from: mailbox(email.from), to: mailbox(email.to) };
  }
  const kept = payload as Record<string, unknown>;
  if (channel === 'sms') return { ...message, text: words(kept.text), from: words(kept.from) };
  if (channel === 'in_app') {
    return {
      ...message,
      subject: words(kept.subject),
      html: words(kept.html_body),
      text: words(kept.text_body),
      actionUrl: words(kept.action_url),
      structured: kept,
    };
  }
  return { ...message, structured: kept };
}

const snippetLength = 140;

/** One line for the list: the subject, or the start of the text. */
export function snippetOf(message: SandboxMessage): string {
  const { subject, text } = previewOf(message);
  const kept = message.payload as Record<string, unknown>;
  const posted = message.channel === 'webhook' ? parsed(words(kept.body)) : kept;
  const line = subject || text || firstWords(posted) || words(kept.body) || '';
  return (line.trim().split('\n')[0] ?? '').slice(0, snippetLength);
}

/** Finds the first readable text. */
function firstWords(value: unknown, depth = 0): string {
  if (depth > 8 || typeof value !== 'object' || value === null) return '';
  const record = value as Record<string, unknown>;
  for (const name of ['content', 'subject', 'title', 'text', 'text_body', 'description']) {
    if (typeof record[name] === 'string' && record[name] !== '') return record[name];
  }
  for (const inner of Object.values(record)) {
    const found = firstWords(inner, depth + 1);
    if (found !== '') return found;
  }
  return '';
}

function parsed(body: string | null): unknown {
  try {
    return JSON.parse(body ?? 'null');
  } catch {
    return null;
  }
}

function words(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function mailbox({ address, name }: { address: string; name: string | null }): string {
  return name ? `${name} <${address}>` : address;
}
