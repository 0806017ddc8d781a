import { previews } from '../strings/previews.ts';
import styles from './preview.module.css';

const reachable = { tabIndex: 0 };

/** A part that the preview cannot draw; the service may support it, so it is never left out. */
export function Unknown({ value, what }: { value: unknown; what?: string }) {
  const label = previews.notDrawn(what || previews.element);
  return (
    <section className={styles.unknown} aria-label={label} {...reachable}>
      <div>{label}</div>
      <pre>{JSON.stringify(value, null, 2)}</pre>
    </section>
  );
}
