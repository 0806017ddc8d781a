import { previews } from '../strings/previews.ts';
import { HtmlFrame, Icon } from '../ui/index.ts';
import { isRecord, listIn, safeHref, textIn } from './json.ts';
import type { PreviewMessage, PreviewView } from './message.ts';
import { usePictures } from './pictures.tsx';
import styles from './preview.module.css';

/** An item as the inbox widget shows it. */
export function InAppPreview({ message, view }: { message: PreviewMessage; view: PreviewView }) {
  const pictures = usePictures();
  const { subject, html, text } = message;
  const own = isRecord(message.structured) ? message.structured : {};
  const action = message.actionUrl || textIn(own.action_url);
  const buttons = listIn(own.actions).filter(isRecord);
  const tags = listIn(own.tags).map(textIn).filter(Boolean);
  const href = safeHref(action);
  const title = subject || previews.untitled;
  return (
    <div className={styles.inbox}>
      <div className={styles.inboxHead}>
        <Icon name="notifications" />
        <strong>{previews.inbox}</strong>
      </div>
      <div className={styles.item}>
        <span className={styles.unread} />
        <div className={styles.itemLine}>
          <strong dir="auto">
            {href ? (
              <a href={href} target="_blank" rel="noreferrer">
                {title}
              </a>
            ) : (
              title
            )}
          </strong>
          <span className={styles.muted}>{previews.now}</span>
        </div>
        {html ? (
          <HtmlFrame
            html={html}
            title={previews.frame}
            dark={view === 'dark'}
            pictures={pictures}
            height={html.length < 200 ? 80 : 180}
          />
        ) : (
          text && (
            <p className={styles.itemText} dir="auto">
              {text}
            </p>
          )
        )}
        {buttons.length > 0 && (
          <div className={styles.choices}>
            {buttons.map((button) => (
              <span
                key={textIn(button.key)}
                className={styles.choice}
                data-style={textIn(button.style) || 'default'}
                title={textIn(button.url) ? previews.opens(textIn(button.url)) : undefined}
                dir="auto"
              >
                {textIn(button.label)}
              </span>
            ))}
          </div>
        )}
        {tags.length > 0 && <div className={styles.muted}>{previews.tags(tags)}</div>}
        {action && <div className={styles.muted}>{previews.opens(action)}</div>}
      </div>
    </div>
  );
}
