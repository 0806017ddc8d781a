import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { workflows } from '../../../strings/workflows.ts';
import { Badge, classes, Icon } from '../../../ui/index.ts';
import { isObject, type Step } from '../definition.ts';
import { type StepState, toneOf } from '../run/timeline.ts';
import styles from './graph.module.css';
import { conditionOf, iconOf, summaryOf } from './summary.ts';

const { editor, run } = workflows;

interface NodeData extends Record<string, unknown> {
  step: Step | null;
  role: 'step' | 'trigger' | 'end';
  schema: unknown;
  state: StepState | null;
  /** True when other steps have a state and this one has none: the run did not reach it. */
  isDim: boolean;
  isCurrent: boolean;
  problems: number;
}

export type StepNode = Node<NodeData, 'step'>;

/** The ends of edges, which cannot be connected by hand. */
function Ends({ children }: { children: React.ReactNode }) {
  return (
    <>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      {children}
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </>
  );
}

export function GraphNode({ data, selected }: NodeProps<StepNode>) {
  const { step, role, state, isDim, isCurrent, problems } = data;
  if (role === 'end') {
    return (
      <Ends>
        <div className={classes(styles.node, styles.end)}>{editor.end}</div>
      </Ends>
    );
  }
  if (role === 'trigger' || !step) {
    return (
      <Ends>
        <div className={classes(styles.node, styles.trigger)}>
          <Icon name="play" />
          <span className={styles.name}>{editor.trigger}</span>
          <span className={styles.line}>{editor.triggerSummary(fieldNames(data.schema))}</span>
        </div>
      </Ends>
    );
  }
  const condition = conditionOf(step);
  const look = classes(
    styles.node,
    state && styles[toneOf[state.phase]],
    isDim && styles.dim,
    problems > 0 && styles.problem,
    selected && styles.selected,
    isCurrent && styles.current,
  );
  return (
    <Ends>
      <div className={look}>
        <Icon name={iconOf(step)} />
        <span className={styles.name} title={step.id}>
          <span className="visually-hidden">{editor.step}</span> <bdi>{step.id}</bdi>
        </span>
        {problems > 0 && (
          <span className={styles.warn}>
            <Icon name="warning" />
            <span className="visually-hidden">{editor.problemCount(problems)}</span>
          </span>
        )}
        <span className={styles.does}>
          <span className="visually-hidden">{workflows.kind(step.kind)}</span>
          {state && <StateBadge state={state} />}
          <span className={styles.line} title={summaryOf(step)}>
            {summaryOf(step)}
          </span>
        </span>
        {condition !== null && (
          <span className={styles.condition} title={condition}>
            {condition}
          </span>
        )}
      </div>
    </Ends>
  );
}

export function StateBadge({ state }: { state: StepState }) {
  const shape = {
    done: 'dot',
    missed: 'square',
    failed: 'diamond',
    skipped: 'square',
    cancelled: 'square',
  } as const;
  const text = stateText(state);
  return (
    <Badge
      tone={toneOf[state.phase]}
      shape={state.phase in shape ? shape[state.phase as keyof typeof shape] : 'hollow'}
    >
      {state.times > 1 ? `${text} ${run.times(state.times)}` : text}
    </Badge>
  );
}

function stateText({ outcome, phase }: StepState): string {
  return workflows.outcome(outcome ?? phase);
}

function fieldNames(schema: unknown): string {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  return Object.keys(properties).join(', ');
}
