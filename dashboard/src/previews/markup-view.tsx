import type { ReactNode } from 'react';
import { previews } from '../strings/previews.ts';
import styles from './markup.module.css';
import { type Block, type Dialect, type Inline, readBlocks } from './markup.ts';

/** Chat services accept no longer text; parsing and drawing a megabyte would block the page. */
const maxText = 20_000;

/** A text with the markup of a chat service. Every part becomes an element; nothing is inserted as HTML. */
export function Markup({ text, dialect }: { text: string; dialect: Dialect }) {
  return (
    <div className={styles.markup} dir="auto">
      {numbered(readBlocks(text.slice(0, maxText), dialect), (block) => drawBlock(block))}
      {text.length > maxText && <p className={styles.rest}>{previews.cut}</p>}
    </div>
  );
}

function drawBlock(block: Block): ReactNode {
  switch (block.kind) {
    case 'pre':
      return <pre className={styles.pre}>{block.text}</pre>;
    case 'heading':
      return <strong className={styles.heading}>{drawInline(block.children)}</strong>;
    case 'list': {
      const items = numbered(block.items, (item) => <li>{drawInline(item)}</li>);
      return block.isOrdered ? (
        <ol className={styles.ordered}>{items}</ol>
      ) : (
        <ul className={styles.list}>{items}</ul>
      );
    }
    case 'quote':
      return <blockquote className={styles.quote}>{drawLines(block.lines)}</blockquote>;
    case 'paragraph':
      return <p>{drawLines(block.lines)}</p>;
  }
}

function drawLines(lines: Inline[][]): ReactNode {
  return numbered(lines, (line, index) => (
    <>
      {index > 0 && <br />}
      {drawInline(line)}
    </>
  ));
}

function drawInline(inlines: Inline[]): ReactNode {
  return numbered(inlines, (inline) => {
    switch (inline.kind) {
      case 'text':
        return inline.text;
      case 'code':
        return <code className={styles.code}>{inline.text}</code>;
      case 'mention':
        return <span className={styles.mention}>{inline.text}</span>;
      case 'bold':
        return <strong>{drawInline(inline.children)}</strong>;
      case 'italic':
        return <em>{drawInline(inline.children)}</em>;
      case 'strike':
        return <s>{drawInline(inline.children)}</s>;
      case 'underline':
        return <u>{drawInline(inline.children)}</u>;
      case 'link':
        return (
          <a href={inline.href} target="_blank" rel="noreferrer">
            {drawInline(inline.children)}
          </a>
        );
    }
  });
}

const maxParts = 500;

/** The parts of a message have no ids and never move, so the index is their key. */
export function numbered<T>(list: T[], draw: (each: T, index: number) => ReactNode): ReactNode[] {
  const parts = list
    .slice(0, maxParts)
    .map((each, index) => <Part key={String(index)}>{draw(each, index)}</Part>);
  const rest = list.length - parts.length;
  if (rest > 0) parts.push(<Part key="rest">{previews.more(rest)}</Part>);
  return parts;
}

function Part({ children }: { children: ReactNode }) {
  return children;
}
