import { classes } from './classes.ts';
import styles from './frame.module.css';

/**
 * HTML that somebody else wrote. It runs no script, opens nothing, knows no cookie and no address of ours (an empty sandbox),
 * and fetches pictures from outside only when that was asked for: they tell the sender that the message was opened.
 */
export function HtmlFrame(props: {
  html: string;
  title: string;
  width?: 'full' | 'phone';
  dark?: boolean;
  pictures?: boolean;
  height?: number;
}) {
  const { html, title, width = 'full', dark = false, pictures = false, height = 480 } = props;
  const images = pictures ? 'data: https: http:' : 'data:';
  const policy = `default-src 'none'; style-src 'unsafe-inline'; img-src ${images}; font-src data:`;
  const scheme = dark ? 'dark' : 'light';
  const head = `<meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="color-scheme" content="${scheme}"><base target="_blank"><style>:root{color-scheme:${scheme}}body{font-family:system-ui,sans-serif;overflow-wrap:anywhere}</style>`;
  return (
    <iframe
      title={title}
      className={classes(styles.frame, width === 'phone' && styles.phone, dark && styles.dark)}
      style={{ height }}
      sandbox=""
      referrerPolicy="no-referrer"
      srcDoc={`<!doctype html>${head}${html}`}
    />
  );
}
