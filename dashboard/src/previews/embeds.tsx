import { previews } from '../strings/previews.ts';
import { Icon, shortTime } from '../ui/index.ts';
import styles from './chat.module.css';
import { isRecord, type JsonRecord, listIn, safeHref, textIn } from './json.ts';
import { Markup, numbered } from './markup-view.tsx';
import type { PreviewMessage } from './message.ts';
import { Picture } from './pictures.tsx';
import { Unknown } from './unknown.tsx';

/** A chatthree post: text, embeds, name and avatar. */
export function EmbedsPreview({ message }: { message: PreviewMessage }) {
  const { structured } = message;
  const post = isPost(structured) ? structured : null;
  const inner = post ? post.embeds : structured;
  const embeds = Array.isArray(inner) ? inner : inner === null || inner === undefined ? [] : [inner];
  const content = (post && textIn(post.content)) || message.text;
  const username = (post && textIn(post.username)) || previews.webhookName;
  return (
    <div className={styles.post}>
      {post?.avatar_url ? (
        <Picture url={post.avatar_url} alt="" size="face" />
      ) : (
        <span className={styles.avatar} data-round>
          <Icon name="chatthree" />
        </span>
      )}
      <div className={styles.postBody}>
        <div className={styles.author}>
          <strong dir="auto">{username}</strong> <span className={styles.tag}>{previews.app}</span>
        </div>
        {content && <Markup text={content} dialect="full" />}
        {numbered(embeds, (embed) => (isRecord(embed) ? <Embed embed={embed} /> : <Unknown value={embed} />))}
      </div>
    </div>
  );
}

function isPost(value: unknown): value is JsonRecord {
  return isRecord(value) && ('embeds' in value || 'content' in value || 'allowed_mentions' in value);
}

const known = new Set([
  'type',
  'title',
  'url',
  'description',
  'color',
  'timestamp',
  'footer',
  'image',
  'thumbnail',
  'author',
  'fields',
]);

function Embed({ embed }: { embed: JsonRecord }) {
  const rest = Object.entries(embed).filter(([name]) => !known.has(name));
  const { author, thumbnail, image } = embed;
  return (
    <div className={styles.embed} style={{ borderInlineStartColor: colourOf(embed.color) }}>
      <div className={styles.embedMain}>
        <div className={styles.embedText}>
          {isRecord(author) && (
            <div className={styles.embedAuthor}>
              {author.icon_url !== undefined && <Picture url={author.icon_url} alt="" size="tiny" />}
              <MaybeLink url={author.url} text={textIn(author.name)} />
            </div>
          )}
          {embed.title !== undefined && (
            <strong dir="auto">
              <MaybeLink url={embed.url} text={textIn(embed.title)} />
            </strong>
          )}
          {embed.description !== undefined && <Markup text={textIn(embed.description)} dialect="full" />}
          <Fields fields={listIn(embed.fields).filter(isRecord)} />
        </div>
        {isRecord(thumbnail) && <Picture url={thumbnail.url} alt={previews.thumbnail} size="thumbnail" />}
      </div>
      {isRecord(image) && <Picture url={image.url} alt={previews.picture} />}
      <Foot footer={embed.footer} timestamp={textIn(embed.timestamp)} />
      {rest.length > 0 && <Unknown value={Object.fromEntries(rest)} />}
    </div>
  );
}

function Fields({ fields }: { fields: JsonRecord[] }) {
  if (fields.length === 0) return null;
  return (
    <div className={styles.embedFields}>
      {numbered(fields, (field) => (
        <div className={styles.embedField} data-inline={field.inline === true}>
          <strong dir="auto">{textIn(field.name)}</strong>
          <Markup text={textIn(field.value)} dialect="full" />
        </div>
      ))}
    </div>
  );
}

function Foot({ footer, timestamp }: { footer: unknown; timestamp: string }) {
  const date = new Date(timestamp);
  const parts = [
    isRecord(footer) ? textIn(footer.text) : '',
    timestamp === '' ? '' : Number.isNaN(date.getTime()) ? timestamp : shortTime(date),
  ].filter((part) => part !== '');
  if (parts.length === 0) return null;
  return (
    <div className={styles.embedFoot}>
      {isRecord(footer) && footer.icon_url !== undefined && (
        <Picture url={footer.icon_url} alt="" size="tiny" />
      )}
      <span dir="auto">{parts.join(' · ')}</span>
    </div>
  );
}

function MaybeLink({ url, text }: { url: unknown; text: string }) {
  const href = safeHref(url);
  if (href === null) return text;
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {text}
    </a>
  );
}

/** The colour is a number; the default is the grey of the service. */
function colourOf(value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 0xff_ff_ff)
    return undefined;
  return `#${value.toString(16).padStart(6, '0')}`;
}
