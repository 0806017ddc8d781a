import { workflows } from '../../../strings/workflows.ts';
import { Badge, classes, Icon, Menu } from '../../../ui/index.ts';
import type { Kind, Step } from '../definition.ts';
import { kinds } from '../definition.ts';
import { conditionOf, iconOf, summaryOf } from '../graph/summary.ts';
import { type Problem, stepIndexOf } from './problems.ts';
import styles from './steps.module.css';

const { panel, editor } = workflows;

/** The steps in order: the graph for screen readers, for phones, and for quick selection. */
export function StepsList(props: {
  steps: readonly Step[];
  selected: number | null;
  problems: readonly Problem[];
  onSelect(index: number): void;
}) {
  const { steps, selected, problems, onSelect } = props;
  return (
    <ol className={styles.list} aria-label={panel.list}>
      {steps.map((step, index) => {
        const count = problems.filter(({ pointer }) => stepIndexOf(pointer) === index).length;
        const condition = conditionOf(step);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two steps may share an id until that is corrected
          <li key={index}>
            <button
              type="button"
              className={classes(styles.item, index === selected && styles.selected)}
              aria-pressed={index === selected}
              onClick={() => onSelect(index)}
            >
              <Icon name={iconOf(step)} />
              <span className={styles.text}>
                <strong>
                  <bdi>{step.id}</bdi>
                </strong>
                <span className={styles.summary}>{summaryOf(step)}</span>
                {condition !== null && <span className={styles.condition}>{condition}</span>}
              </span>
              {count > 0 && (
                <Badge tone="red" icon="warning">
                  {editor.problemCount(count)}
                </Badge>
              )}
            </button>
          </li>
        );
      })}
    </ol>
  );
}

export function AddStepMenu({ trigger, onAdd }: { trigger: React.ReactNode; onAdd(kind: Kind): void }) {
  return (
    <Menu
      align="start"
      trigger={trigger}
      items={kinds.map((kind) => ({
        icon: iconOf({ kind }),
        onSelect: () => onAdd(kind),
        label: (
          <span className={styles.choice}>
            <strong>{workflows.kind(kind)}</strong>
            <span>{workflows.kindHint(kind)}</span>
          </span>
        ),
      }))}
    />
  );
}
