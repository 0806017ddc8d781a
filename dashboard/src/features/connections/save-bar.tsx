import { common } from '../../strings/common.ts';
import { chain as text } from '../../strings/connections.ts';
import { Button } from '../../ui/index.ts';
import styles from './connections.module.css';

/** Sticks to the bottom while there are unsaved changes. */
export function SaveBar(props: { onSave(): void; onDiscard(): void; isSaving: boolean }) {
  const { onSave, onDiscard, isSaving } = props;
  return (
    <div className={styles.saveBar} role="status">
      <span>{common.unsaved}</span>
      <span className={styles.saveButtons}>
        <Button onClick={onDiscard} disabled={isSaving}>
          {text.discard}
        </Button>
        <Button variant="primary" busy={isSaving} onClick={onSave}>
          {text.save}
        </Button>
      </span>
    </div>
  );
}
