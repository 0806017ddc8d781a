import { previews } from '../strings/previews.ts';
import { CodeBlock, JsonBlock } from '../ui/index.ts';
import { isRecord } from './json.ts';
import type { PreviewMessage } from './message.ts';
import styles from './preview.module.css';

/** The request: URL, headers where known, and JSON. */
export function WebhookPreview({ message }: { message: PreviewMessage }) {
  const call = callOf(message.structured);
  return (
    <div className={styles.stack}>
      {message.to && (
        <div className={styles.request}>
          <strong>{previews.post}</strong> <code>{message.to}</code>
        </div>
      )}
      {call.headers && (
        <CodeBlock
          label={previews.headers}
          code={Object.entries(call.headers)
            .map(([name, value]) => `${name}: ${String(value)}`)
            .join('\n')}
          wrap
        />
      )}
      {call.body === null || call.body === undefined ? (
        <p className={styles.nothing}>{message.text || previews.noText}</p>
      ) : (
        <JsonBlock label={previews.body} value={call.body} />
      )}
    </div>
  );
}

/** The sandbox stores the request in parts; elsewhere only the body is known. */
function callOf(structured: unknown): { headers: Record<string, unknown> | null; body: unknown } {
  if (!isRecord(structured) || typeof structured.body !== 'string' || !isRecord(structured.headers)) {
    return { headers: null, body: structured };
  }
  try {
    return { headers: structured.headers, body: JSON.parse(structured.body) };
  } catch {
    return { headers: structured.headers, body: structured.body };
  }
}
