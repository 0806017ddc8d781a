import { useState } from 'react';
import { previews } from '../strings/previews.ts';
import { HtmlFrame, Tabs } from '../ui/index.ts';
import type { PreviewMessage, PreviewView } from './message.ts';
import { usePictures } from './pictures.tsx';
import styles from './preview.module.css';

export function EmailPreview({ message, view }: { message: PreviewMessage; view: PreviewView }) {
  const [part, setPart] = useState('html');
  const { html, text } = message;
  return (
    <div className={styles.email}>
      <dl className={styles.head}>
        <Line name={previews.from} value={message.from} />
        <Line name={previews.to} value={message.to} />
        <Line name={previews.subject} value={message.subject || previews.noSubject} strong />
      </dl>
      {html ? (
        <Tabs
          label={previews.parts}
          value={part}
          onChange={setPart}
          tabs={[
            { value: 'html', label: previews.html, content: <Html html={html} view={view} /> },
            { value: 'text', label: previews.text, content: <Plain text={text} view={view} /> },
          ]}
        />
      ) : (
        <Plain text={text} view={view} />
      )}
    </div>
  );
}

function Line({
  name,
  value,
  strong,
}: {
  name: string;
  value?: string | null | undefined;
  strong?: boolean;
}) {
  if (!value) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd dir="auto">{strong ? <strong>{value}</strong> : value}</dd>
    </>
  );
}

function Html({ html, view }: { html: string; view: PreviewView }) {
  const pictures = usePictures();
  return (
    <HtmlFrame
      html={html}
      title={previews.frame}
      width={view === 'phone' ? 'phone' : 'desktop'}
      dark={view === 'dark'}
      pictures={pictures}
      height={heightOf(html, view === 'phone' ? 40 : 90)}
    />
  );
}

/**
 * Estimates the height of the frame, which cannot be measured from outside: by text, line breaks and images. The frame
 * can be resized by its corner when the estimate is wrong.
 */
function heightOf(html: string, charactersPerLine: number): number {
  if (html.length > 60_000) return maxHeight;
  const shown = html.replaceAll(/<(?:style|title)\b[^<]*/gi, '');
  const breaks = shown.match(/<(?:br|hr|\/p|\/h[1-6]|\/li|\/tr)\b/gi)?.length ?? 0;
  const pictures = shown.match(/<img\b/gi)?.length ?? 0;
  const words = shown.replaceAll(/<[^<>]*>/g, '').replaceAll(/\s+/g, ' ').length;
  const guess = 60 + (words / charactersPerLine) * 22 + breaks * 30 + pictures * 100;
  return Math.round(Math.min(maxHeight, Math.max(140, guess)));
}

const maxHeight = 720;

function Plain({ text, view }: { text: string | null; view: PreviewView }) {
  if (!text) return <p className={styles.nothing}>{previews.noText}</p>;
  return (
    <pre className={styles.plain} data-view={view} dir="auto">
      {text}
    </pre>
  );
}
