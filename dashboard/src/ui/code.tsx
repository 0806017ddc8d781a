import { type ReactNode, useEffect, useRef, useState } from 'react';
import { common } from '../strings/common.ts';
import { Button, IconButton } from './button.tsx';
import { classes } from './classes.ts';
import styles from './code.module.css';
import { Notice } from './notice.tsx';

/** `spelled` shows the label on the button, where an icon alone would not be clear. */
export function CopyButton(props: { text: string; label?: string; spelled?: boolean }) {
  const { text, label = common.copy, spelled = false } = props;
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    await writeClipboard(text);
    setCopied(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setCopied(false), 1500);
  };
  const shown = copied ? common.copied : label;
  const icon = copied ? 'check' : 'copy';
  if (!spelled) return <IconButton label={shown} icon={icon} size="small" onClick={copy} />;
  return (
    <Button variant="ghost" icon={icon} onClick={copy}>
      {shown}
    </Button>
  );
}

/** Pages on plain http have no clipboard API except on localhost; the fallback is the old command. */
async function writeClipboard(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}

/** Text to read and copy, scrollable by keyboard. */
export function CodeBlock({ code, label, wrap }: { code: string; label: string; wrap?: boolean }) {
  return (
    <Block label={label} text={code} wrap={wrap}>
      {code}
    </Block>
  );
}

/** Highlighted JSON. */
export function JsonBlock({ value, label }: { value: unknown; label: string }) {
  const text = JSON.stringify(value, null, 2) ?? '';
  return (
    <Block label={label} text={text} wrap>
      {colour(text)}
    </Block>
  );
}

/** Scrollable regions must be reachable by keyboard. */
const reachable = { tabIndex: 0 };

function Block(props: { label: string; text: string; wrap?: boolean; children: ReactNode }) {
  const { label, text, wrap, children } = props;
  return (
    <div className={styles.block}>
      <section className={styles.scroll} aria-label={label} {...reachable}>
        <pre className={classes(styles.pre, wrap && styles.wrapped)}>
          <code>{children}</code>
        </pre>
      </section>
      <div className={styles.copy}>
        <CopyButton text={text} />
      </div>
    </div>
  );
}

const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g;

function colour(text: string): ReactNode {
  if (text.length > 50_000) return text;
  const parts: ReactNode[] = [];
  let at = 0;
  for (const match of text.matchAll(tokens)) {
    const [whole, string, colon, word] = match;
    parts.push(text.slice(at, match.index));
    const kind = string ? (colon ? styles.key : styles.string) : word ? styles.word : styles.number;
    parts.push(
      <span key={match.index} className={kind}>
        {string ?? whole}
      </span>,
      colon,
    );
    at = match.index + whole.length;
  }
  return [...parts, text.slice(at)];
}

/** An inline id or address with a copy button. */
export function Copyable({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <span className={styles.inline}>
      <code>{children ?? text}</code>
      <CopyButton text={text} />
    </span>
  );
}

/** A secret, shown once. */
export function SecretOnce({ secret }: { secret: string }) {
  return (
    <>
      <Notice tone="amber">{common.shownOnce}</Notice>
      <div className={styles.secret}>
        <code>{secret}</code>
        <CopyButton text={secret} />
      </div>
    </>
  );
}

export function Kbd({ children }: { children: ReactNode }) {
  return <kbd className={styles.kbd}>{children}</kbd>;
}
