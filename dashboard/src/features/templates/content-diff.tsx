import { DiffView } from '../../editor/index.ts';
import { templates as text } from '../../strings/templates.ts';
import { Badge } from '../../ui/index.ts';
import { type Content, changedFields, fieldLanguages } from './content.ts';
import styles from './templates.module.css';

/** Every field that differs between two states of a template. */
export function ContentDiff(props: {
  before: Content;
  after: Content;
  names: { before: string; after: string };
}) {
  const { before, after, names } = props;
  const changes = changedFields(before, after);
  if (changes.length === 0 && before.name === after.name) return <p>{text.noDifference}</p>;
  return (
    <div className={styles.changes}>
      {before.name !== after.name && (
        <Change
          title={text.nameField}
          before={before.name}
          after={after.name}
          language="text"
          names={names}
        />
      )}
      {changes.map(({ channel, locale, field, ...texts }) => (
        <Change
          key={`${channel} ${locale} ${field}`}
          title={text.fieldOf(channel, locale, field)}
          language={fieldLanguages[field]}
          names={names}
          {...texts}
        />
      ))}
    </div>
  );
}

const looks = {
  added: ['green', 'dot'],
  removed: ['red', 'diamond'],
  modified: ['blue', 'square'],
} as const;

function Change(props: { title: string } & Omit<React.ComponentProps<typeof DiffView>, 'label'>) {
  const { title, before, after } = props;
  const kind = before === '' ? 'added' : after === '' ? 'removed' : 'modified';
  const [tone, shape] = looks[kind];
  return (
    <section className={styles.change} aria-label={title}>
      <div className={styles.changeHead}>
        <h3>{title}</h3>
        <Badge tone={tone} shape={shape}>
          {text.change[kind]}
        </Badge>
      </div>
      <DiffView {...props} label={title} />
    </section>
  );
}
