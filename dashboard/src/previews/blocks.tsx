import { previews } from '../strings/previews.ts';
import { Icon } from '../ui/index.ts';
import styles from './chat.module.css';
import { isRecord, type JsonRecord, listIn, safeHref, textIn } from './json.ts';
import { Markup, numbered } from './markup-view.tsx';
import type { PreviewMessage } from './message.ts';
import { Picture } from './pictures.tsx';
import { Unknown } from './unknown.tsx';

/** Blocks as chatone renders them; a post without blocks shows its text. */
export function BlocksPreview({ message }: { message: PreviewMessage }) {
  const { structured } = message;
  const post = isRecord(structured) ? structured : null;
  const blocks = listIn(post && 'blocks' in post ? post.blocks : structured);
  const text = message.text || textIn(post?.text);
  return (
    <div className={styles.post}>
      <span className={styles.avatar}>
        <Icon name="chatone" />
      </span>
      <div className={styles.postBody}>
        <div className={styles.author}>
          <strong>{message.from || previews.bot}</strong> <span className={styles.tag}>{previews.app}</span>
        </div>
        {blocks.length > 0 ? (
          numbered(blocks, (block) => <Block block={block} />)
        ) : text ? (
          <Markup text={text} dialect="chatone" />
        ) : (
          <Unknown value={structured} />
        )}
      </div>
    </div>
  );
}

function Block({ block }: { block: unknown }) {
  if (!isRecord(block)) return <Unknown value={block} />;
  switch (block.type) {
    case 'header':
      return <div className={styles.header}>{textOf(block.text)}</div>;
    case 'divider':
      return <hr className={styles.divider} />;
    case 'section':
      return <Section block={block} />;
    case 'context':
      return (
        <div className={styles.context}>
          {numbered(listIn(block.elements), (each) => (
            <Element element={each} small />
          ))}
        </div>
      );
    case 'actions':
      return (
        <div className={styles.actions}>
          {numbered(listIn(block.elements), (each) => (
            <Element element={each} />
          ))}
        </div>
      );
    case 'image':
      return (
        <figure className={styles.figure}>
          {isRecord(block.title) && <figcaption>{textOf(block.title)}</figcaption>}
          <Picture url={block.image_url} alt={textIn(block.alt_text)} />
        </figure>
      );
    case 'markdown':
      return <Markup text={textIn(block.text)} dialect="full" />;
    default:
      return <Unknown value={block} what={textIn(block.type)} />;
  }
}

function Section({ block }: { block: JsonRecord }) {
  const fields = listIn(block.fields);
  return (
    <div className={styles.section}>
      <div className={styles.sectionBody}>
        {block.text !== undefined && <TextObject value={block.text} />}
        {fields.length > 0 && (
          <div className={styles.fields}>
            {numbered(fields, (field) => (
              <TextObject value={field} />
            ))}
          </div>
        )}
      </div>
      {block.accessory !== undefined && <Element element={block.accessory} />}
    </div>
  );
}

function TextObject({ value }: { value: unknown }) {
  if (!isRecord(value) || typeof value.text !== 'string') return <Unknown value={value} />;
  return value.type === 'mrkdwn' ? (
    <Markup text={value.text} dialect="chatone" />
  ) : (
    <div className={styles.plain} dir="auto">
      {value.text}
    </div>
  );
}

function Element({ element, small }: { element: unknown; small?: boolean }) {
  if (!isRecord(element)) return <Unknown value={element} />;
  switch (element.type) {
    case 'button':
      return <ActionButton label={textOf(element.text)} url={element.url} look={textIn(element.style)} />;
    case 'image':
      return (
        <Picture url={element.image_url} alt={textIn(element.alt_text)} size={small ? 'tiny' : 'thumbnail'} />
      );
    case 'mrkdwn':
    case 'plain_text':
      return <TextObject value={element} />;
    default:
      return <Unknown value={element} what={textIn(element.type)} />;
  }
}

/** A button of a message: a link when it has a URL, else decorative. */
export function ActionButton({ label, url, look }: { label: string; url: unknown; look?: string }) {
  const href = safeHref(url);
  const properties = { className: styles.button, 'data-look': look ?? '' };
  return href === null ? (
    <span {...properties}>{label}</span>
  ) : (
    <a {...properties} href={href} target="_blank" rel="noreferrer">
      {label}
    </a>
  );
}

function textOf(value: unknown): string {
  return isRecord(value) ? textIn(value.text) : textIn(value);
}
