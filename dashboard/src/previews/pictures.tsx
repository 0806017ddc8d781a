import { createContext, useContext } from 'react';
import { previews } from '../strings/previews.ts';
import { Button, classes, Icon } from '../ui/index.ts';
import { safePicture } from './json.ts';
import type { PreviewMessage } from './message.ts';
import styles from './pictures.module.css';

const PicturesContext = createContext(false);

/** True when images of the message may be loaded: loading tells the sender that the message was opened. */
export const PicturesProvider = PicturesContext.Provider;

export function usePictures(): boolean {
  return useContext(PicturesContext);
}

interface PictureProps {
  url: unknown;
  alt: string;
  /** The natural size with a limit by default. */
  size?: 'tiny' | 'face' | 'thumbnail' | undefined;
  className?: string | undefined;
}

/** An external image; until it is loaded, its placeholder and alt text. */
export function Picture({ url, alt, size, className }: PictureProps) {
  const isShown = usePictures();
  const src = safePicture(url);
  const label = alt || previews.picture;
  if (isShown && src !== null) {
    return (
      <img
        src={src}
        alt={alt}
        className={classes(styles.picture, size && styles[size], className)}
        referrerPolicy="no-referrer"
        loading="lazy"
      />
    );
  }
  return (
    <span className={classes(styles.place, size && styles[size], className)} role="img" aria-label={label}>
      <Icon name="eye" size={14} />
      {size === undefined && <span>{label}</span>}
    </span>
  );
}

export function PicturesNotice({ onShow }: { onShow(): void }) {
  return (
    <div className={styles.notice}>
      <Icon name="lock" size={14} />
      <span>{previews.picturesHidden}</span>
      <Button size="small" onClick={onShow}>
        {previews.showPictures}
      </Button>
    </div>
  );
}

const inHtml = /<img\b|background\s*=|url\(|<(?:picture|source|image)\b/i;
const inJson = /"(?:image_url|avatar_url|icon_url|thumb_url|image|thumbnail)":|"type":"Image"/;

export function hasPictures({ html, structured }: PreviewMessage): boolean {
  if (html !== null && inHtml.test(html) && /https?:/i.test(html)) return true;
  return structured !== null && structured !== undefined && inJson.test(JSON.stringify(structured));
}
