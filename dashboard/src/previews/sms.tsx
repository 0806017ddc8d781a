import { previews } from '../strings/previews.ts';
import type { PreviewMessage } from './message.ts';
import styles from './preview.module.css';
import { segmentsOf } from './segments.ts';

export function SmsPreview({ message }: { message: PreviewMessage }) {
  const text = message.text ?? '';
  const { encoding, units, segments, room, outside } = segmentsOf(text);
  return (
    <div className={styles.phone}>
      <div className={styles.phoneHead}>{message.from || previews.smsSender}</div>
      <div className={styles.bubbles}>
        {text === '' ? (
          <p className={styles.nothing}>{previews.noText}</p>
        ) : (
          <p className={styles.bubble} dir="auto">
            {text}
          </p>
        )}
      </div>
      <div className={styles.phoneFoot}>
        <div>
          <strong>{previews.segments(segments)}</strong>
          {previews.carried(encoding, units, room)}
        </div>
        {outside.length > 0 && (
          <div>
            {previews.outside(outside.slice(0, 8).join(' '), outside.length > 8)} {previews.outsideHint}
          </div>
        )}
      </div>
    </div>
  );
}
