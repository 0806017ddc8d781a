import { workflows } from '../../../strings/workflows.ts';
import { Card, Icon } from '../../../ui/index.ts';
import type { Step } from '../definition.ts';
import styles from '../workbench.module.css';
import { type Problem, stepIndexOf } from './problems.ts';

const { editor } = workflows;

/** All problems, each with a link to its position. */
export function ProblemList(props: {
  problems: readonly Problem[];
  steps: readonly Step[];
  onShow(problem: Problem): void;
}) {
  const { problems, steps, onShow } = props;
  if (problems.length === 0) return null;
  return (
    <Card title={editor.problemsTitle}>
      <ul className={styles.problems} aria-label={editor.problems(problems.length)}>
        {problems.map((problem) => {
          const step = steps[stepIndexOf(problem.pointer) ?? -1];
          return (
            <li key={problem.pointer}>
              <button type="button" onClick={() => onShow(problem)}>
                <Icon name="warning" />
                <span>
                  <strong>{step ? editor.problemIn(step.id) : editor.problemInBody}</strong>{' '}
                  <span>{problem.message}</span> <code className={styles.muted}>{problem.pointer}</code>
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
