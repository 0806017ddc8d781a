import type { CSSProperties } from 'react';
import { classes } from '../ui/index.ts';
import { ActionButton } from './blocks.tsx';
import styles from './chat.module.css';
import { isRecord, type JsonRecord, listIn, textIn } from './json.ts';
import { Markup, numbered } from './markup-view.tsx';
import type { PreviewMessage } from './message.ts';
import { Picture } from './pictures.tsx';
import { Unknown } from './unknown.tsx';

const maxDepth = 12;

/** An Adaptive Card, with or without its envelope; only the common elements are drawn. */
export function CardPreview({ message }: { message: PreviewMessage }) {
  const cards = cardsIn(message.structured);
  return (
    <div className={styles.stack}>
      {numbered(cards, (card) => (
        <Card card={card} />
      ))}
    </div>
  );
}

function cardsIn(structured: unknown): unknown[] {
  if (isRecord(structured) && Array.isArray(structured.attachments)) {
    return structured.attachments.map((each) => (isRecord(each) && 'content' in each ? each.content : each));
  }
  return [structured];
}

function Card({ card }: { card: unknown }) {
  if (!isRecord(card) || card.type !== 'AdaptiveCard') return <Unknown value={card} />;
  return (
    <div className={styles.card}>
      <Elements list={card.body} depth={0} />
      <Actions list={card.actions} />
    </div>
  );
}

function Elements({ list, depth }: { list: unknown; depth: number }) {
  return numbered(listIn(list), (element) => <Element element={element} depth={depth} />);
}

function Element({ element, depth }: { element: unknown; depth: number }) {
  if (!isRecord(element) || depth > maxDepth) return <Unknown value={element} />;
  const inside = depth + 1;
  const style = alignment(element);
  switch (element.type) {
    case 'TextBlock':
      return (
        <div className={styles.textBlock} style={style} {...looksOf(element)}>
          <Markup text={textIn(element.text)} dialect="card" />
        </div>
      );
    case 'RichTextBlock':
      return (
        <p style={style} dir="auto">
          {numbered(listIn(element.inlines), (run) => (
            <Run run={run} />
          ))}
        </p>
      );
    case 'FactSet':
      return (
        <dl className={styles.facts}>
          {numbered(listIn(element.facts).filter(isRecord), (fact) => (
            <>
              <dt>{textIn(fact.title)}</dt>
              <dd>
                <Markup text={textIn(fact.value)} dialect="card" />
              </dd>
            </>
          ))}
        </dl>
      );
    case 'Image':
      return <CardImage image={element} style={style} />;
    case 'ImageSet':
      return (
        <div className={styles.actions}>
          {numbered(listIn(element.images).filter(isRecord), (image) => (
            <CardImage image={image} />
          ))}
        </div>
      );
    case 'ColumnSet':
      return (
        <div className={styles.columns}>
          {numbered(listIn(element.columns).filter(isRecord), (column) => (
            <div className={styles.column} style={{ flex: flexOf(column.width) }}>
              <Elements list={column.items} depth={inside} />
            </div>
          ))}
        </div>
      );
    case 'Container':
      return (
        <div className={styles.container} data-style={textIn(element.style)}>
          <Elements list={element.items} depth={inside} />
        </div>
      );
    case 'ActionSet':
      return <Actions list={element.actions} />;
    default:
      return <Unknown value={element} what={textIn(element.type)} />;
  }
}

function Run({ run }: { run: unknown }) {
  if (!isRecord(run)) return textIn(run);
  return (
    <span className={styles.textBlock} {...looksOf(run)}>
      {textIn(run.text)}
    </span>
  );
}

function CardImage({ image, style }: { image: JsonRecord; style?: CSSProperties }) {
  return (
    <div style={style}>
      <Picture
        url={image.url}
        alt={textIn(image.altText)}
        className={classes(
          styles[`size${textIn(image.size).toLowerCase()}`],
          textIn(image.style).toLowerCase() === 'person' && styles.person,
        )}
      />
    </div>
  );
}

function Actions({ list }: { list: unknown }) {
  const actions = listIn(list);
  if (actions.length === 0) return null;
  return (
    <div className={styles.actions}>
      {numbered(actions, (action) =>
        isRecord(action) && action.type === 'Action.OpenUrl' ? (
          <ActionButton label={textIn(action.title)} url={action.url} look={textIn(action.style)} />
        ) : (
          <Unknown value={action} what={isRecord(action) ? textIn(action.type) : ''} />
        ),
      )}
    </div>
  );
}

function looksOf(text: JsonRecord) {
  const word = (value: unknown) => textIn(value).toLowerCase() || undefined;
  return {
    'data-size': word(text.size),
    'data-weight': word(text.weight),
    'data-colour': word(text.color),
    'data-font': word(text.fontType),
    'data-subtle': text.isSubtle === true || undefined,
  };
}

function alignment(element: JsonRecord): CSSProperties {
  const side = textIn(element.horizontalAlignment).toLowerCase();
  if (side === 'center') return { textAlign: 'center', justifySelf: 'center' };
  return side === 'right' ? { textAlign: 'end', justifySelf: 'end' } : {};
}

/** `auto`, `stretch`, a weight or pixels. */
function flexOf(width: unknown): string {
  const text = textIn(width).toLowerCase();
  if (text === 'auto') return '0 1 auto';
  if (/^\d{1,4}px$/.test(text)) return `0 0 ${text}`;
  return `${/^\d{1,4}$/.test(text) ? text : '1'} 1 0`;
}
