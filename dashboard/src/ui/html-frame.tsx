import { useEffect, useRef, useState } from 'react';
import { classes } from './classes.ts';
import styles from './html-frame.module.css';

interface HtmlFrameProps {
  html: string;
  title: string;
  /** `desktop` is at least as wide as a mail client: where there is less room, it is scaled down. */
  width?: 'full' | 'phone' | 'desktop';
  dark?: boolean;
  pictures?: boolean;
  height?: number;
}

/**
 * HTML of other authors. The empty sandbox blocks scripts, navigation, cookies and our origin; external images load
 * only on request, because they tell the sender that the message was opened.
 */
export function HtmlFrame(props: HtmlFrameProps) {
  const { html, title, width = 'full', dark = false, pictures = false, height = 480 } = props;
  const images = pictures ? 'data: https: http:' : 'data:';
  const policy = `default-src 'none'; style-src 'unsafe-inline'; img-src ${images}; font-src data:`;
  const scheme = dark ? 'dark' : 'light';
  const head = `<meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="color-scheme" content="${scheme}"><base target="_blank"><style>:root{color-scheme:${scheme}}body{font-family:system-ui,sans-serif;overflow-wrap:anywhere}</style>`;
  const [box, scale] = useScale(width === 'desktop');
  return (
    <div
      ref={box}
      className={classes(styles.frame, width === 'phone' && styles.phone, dark && styles.dark)}
      style={{ height: Math.round(height * scale) }}
    >
      <iframe
        title={title}
        style={{ width: `${100 / scale}%`, height: `${100 / scale}%`, transform: `scale(${scale})` }}
        sandbox=""
        referrerPolicy="no-referrer"
        srcDoc={`<!doctype html>${head}${html}`}
      />
    </div>
  );
}

/** The narrowest desktop mail client; most emails are designed for it. */
const desktopWidth = 640;

/** The scale at which a fixed width fits into the box. */
function useScale(isOn: boolean) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(desktopWidth);
  useEffect(() => {
    if (!isOn || !box.current) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [isOn]);
  return [box, isOn && width > 0 ? Math.min(1, width / desktopWidth) : 1] as const;
}
