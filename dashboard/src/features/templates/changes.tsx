import { DiffView } from '../../editor/index.ts';
import { ring } from '../../strings/ring.ts';
import { templates as text } from '../../strings/templates.ts';
import { Badge } from '../../ui/index.ts';
import { type Content, changedFields, fieldLanguages, pushText } from './content.ts';
import styles from './templates.module.css';

type DiffProps = React.ComponentProps<typeof DiffView>;

/** A text in two states; the same in both when it did not change. */
export interface TextChange extends Pick<DiffProps, 'before' | 'after' | 'language'> {
  title: string;
}

/** Compares two states of a template. */
export function contentChanges(before: Content, after: Content): TextChange[] {
  return [
    { title: text.nameField, language: 'text', before: before.name, after: after.name },
    { title: ring.mode, language: 'text', before: pushText(before), after: pushText(after) },
    ...changedFields(before, after).map(({ channel, locale, field, ...texts }) => ({
      title: text.fieldOf(channel, locale, field),
      language: fieldLanguages[field],
      ...texts,
    })),
  ];
}

export function Changes({ changes, names }: { changes: TextChange[]; names: DiffProps['names'] }) {
  const real = changes.filter(({ before, after }) => before !== after);
  if (real.length === 0) return <p>{text.noDifference}</p>;
  return (
    <div className={styles.changes}>
      {real.map((change) => (
        <Change key={change.title} change={change} names={names} />
      ))}
    </div>
  );
}

const looks = {
  added: ['green', 'dot'],
  removed: ['red', 'diamond'],
  modified: ['blue', 'square'],
} as const;

function Change({ change, names }: { change: TextChange; names: DiffProps['names'] }) {
  const { title, ...texts } = change;
  const kind = texts.before === '' ? 'added' : texts.after === '' ? 'removed' : 'modified';
  const [tone, shape] = looks[kind];
  return (
    <section className={styles.change} aria-label={title}>
      <div className={styles.changeHead}>
        <h3>{title}</h3>
        <Badge tone={tone} shape={shape}>
          {text.change[kind]}
        </Badge>
      </div>
      <DiffView {...texts} names={names} label={title} />
    </section>
  );
}
