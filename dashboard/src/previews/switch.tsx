import { previews } from '../strings/previews.ts';
import { Button } from '../ui/index.ts';
import type { PreviewView } from './message.ts';
import styles from './switch.module.css';

const views = [
  ['desktop', 'device'],
  ['phone', 'phone'],
  ['dark', 'moon'],
] as const;

/** Switches the email preview between desktop, phone and dark mode. */
export function PreviewSwitch(props: { view: PreviewView; onChange(view: PreviewView): void }) {
  return (
    <fieldset className={styles.switch}>
      <legend className="visually-hidden">{previews.view}</legend>
      {views.map(([view, icon]) => (
        <Button
          key={view}
          size="small"
          variant="ghost"
          icon={icon}
          aria-pressed={props.view === view}
          onClick={() => props.onChange(view)}
        >
          {previews.views[view]}
        </Button>
      ))}
    </fieldset>
  );
}
