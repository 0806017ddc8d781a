import '@xyflow/react/dist/style.css';
import {
  Background,
  BaseEdge,
  Controls,
  type Edge,
  EdgeLabelRenderer,
  type EdgeProps,
  MarkerType,
  type NodeChange,
  ReactFlow,
  type ReactFlowInstance,
} from '@xyflow/react';
import { useEffect, useRef, useState } from 'react';
import { workflows } from '../../../strings/workflows.ts';
import { classes, EmptyState } from '../../../ui/index.ts';
import { type Problem, stepIndexOf } from '../build/problems.ts';
import type { Body } from '../definition.ts';
import { type Progress, pathKey } from '../run/timeline.ts';
import styles from './graph.module.css';
import { type Drawing, type PlacedEdge, pathOf, useDrawing } from './graph-layout.ts';
import { GraphNode, type StepNode } from './graph-node.tsx';

const { editor } = workflows;

interface GraphProps {
  body: Body;
  selected: number | null;
  onSelect(index: number | null): void;
  problems?: readonly Problem[];
  progress?: Progress | null;
}

type GraphEdge = Edge<{ edge: PlacedEdge; isTaken: boolean }, 'graph'>;

const nodeTypes = { step: GraphNode };
const edgeTypes = { graph: GraphEdgeLine };
const ariaLabels = {
  'node.a11yDescription.default': editor.nodeHelp,
  'controls.ariaLabel': editor.controls,
  'controls.zoomIn.ariaLabel': editor.zoomIn,
  'controls.zoomOut.ariaLabel': editor.zoomOut,
  'controls.fitView.ariaLabel': editor.fit,
};

/** The steps of a body and the edges between them. */
export function Graph(props: GraphProps) {
  const drawing = useDrawing(props.body);
  if (drawing) return <Drawn {...props} drawing={drawing} />;
  return <EmptyState title={editor.tooMany(props.body.steps.length)}>{editor.tooManyHint}</EmptyState>;
}

function Drawn(props: GraphProps & { drawing: Drawing }) {
  const { body, drawing, selected, onSelect, problems = [], progress = null } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [flow, setFlow] = useState<ReactFlowInstance<StepNode, GraphEdge> | null>(null);
  const nodes = nodesOf(drawing, body, selected, problems, progress);
  const edges = edgesOf(drawing, progress);
  useOverview(flow, frame, drawing);
  useFollow(flow, frame, drawing, selected ?? indexOfCurrent(body, progress));

  const onNodesChange = (changes: NodeChange<StepNode>[]) => {
    const chosen = changes.flatMap((change) => (change.type === 'select' ? [change] : []));
    const picked = chosen.find((change) => change.selected);
    const index = Number(picked?.id);
    if (picked && Number.isInteger(index)) onSelect(index);
    else if (!picked && chosen.some((change) => Number(change.id) === selected)) onSelect(null);
  };

  return (
    <div className={styles.graph} ref={frame}>
      <ReactFlow<StepNode, GraphEdge>
        aria-label={editor.graphLabel}
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onInit={setFlow}
        onNodesChange={onNodesChange}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        deleteKeyCode={null}
        multiSelectionKeyCode={null}
        selectionKeyCode={null}
        zoomOnScroll={false}
        zoomOnDoubleClick={false}
        preventScrolling={false}
        minZoom={0.2}
        maxZoom={1.6}
        ariaLabelConfig={ariaLabels}
      >
        <Background gap={18} size={1.2} />
        <Controls
          showInteractive={false}
          showFitView
          position="bottom-left"
          fitViewOptions={{ padding: 0.08 }}
        />
      </ReactFlow>
    </div>
  );
}

function nodesOf(
  drawing: Drawing,
  body: Body,
  selected: number | null,
  problems: readonly Problem[],
  progress: Progress | null,
): StepNode[] {
  return drawing.nodes.map(({ id, step, x, y, width, height }) => {
    const index = step ? Number(id) : -1;
    const state = step ? (progress?.states.get(step.id) ?? null) : null;
    const count = problems.filter(({ pointer }) => stepIndexOf(pointer) === index).length;
    return {
      id,
      type: 'step',
      position: { x, y },
      width,
      height,
      selected: step !== null && index === selected,
      selectable: step !== null,
      focusable: step !== null,
      ariaRole: step ? 'button' : 'group',
      data: {
        step,
        role: step ? 'step' : id === 'end' ? 'end' : 'trigger',
        schema: body.trigger_data_schema,
        state,
        isDim: progress !== null && state === null,
        isCurrent: step !== null && progress?.currentStepId === step.id,
        problems: count,
      },
    };
  });
}

function edgesOf(drawing: Drawing, progress: Progress | null): GraphEdge[] {
  const names = new Map(drawing.nodes.map(({ id, step }) => [id, step?.id ?? '']));
  const isStarted = progress !== null && progress.states.size > 0;
  return drawing.edges.map((edge) => {
    const from = names.get(edge.from) ?? '';
    const to = edge.to === 'end' ? null : (names.get(edge.to) ?? '');
    const isTaken = edge.from === 'trigger' ? isStarted : (progress?.taken.has(pathKey(from, to)) ?? false);
    return {
      id: edge.id,
      source: edge.from,
      target: edge.to,
      type: 'graph',
      focusable: false,
      selectable: false,
      ariaLabel: editor.edgeLabel(from || editor.trigger, to ?? editor.end, edge.label),
      markerEnd: {
        type: MarkerType.ArrowClosed,
        width: 18,
        height: 18,
        markerUnits: 'userSpaceOnUse',
        color: colourOf(edge, isTaken),
      },
      data: { edge, isTaken },
    };
  });
}

/** React Flow keeps one marker per colour; a CSS variable works as a colour. */
function colourOf({ tone }: PlacedEdge, isTaken: boolean): string {
  if (isTaken) return 'var(--green)';
  return { plain: 'var(--border-strong)', timeout: 'var(--amber)', error: 'var(--red)' }[tone];
}

function GraphEdgeLine({ id, data, markerEnd }: EdgeProps<GraphEdge>) {
  if (!data) return null;
  const { edge, isTaken } = data;
  const { label, labelAt, labelWidth, tone, points } = edge;
  return (
    <>
      <BaseEdge
        id={id}
        path={pathOf(points)}
        className={classes(styles.edge, tone !== 'plain' && styles[tone], isTaken && styles.taken)}
        {...(markerEnd === undefined ? {} : { markerEnd })}
      />
      {label !== '' && (
        <EdgeLabelRenderer>
          <div
            className={styles.label}
            title={label}
            style={{
              maxWidth: labelWidth + 8,
              transform: `translate(-50%, -50%) translate(${labelAt.x}px, ${labelAt.y}px)`,
            }}
          >
            <bdi>{label}</bdi>
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
}

type Flow = ReactFlowInstance<StepNode, GraphEdge> | null;
type Frame = React.RefObject<HTMLDivElement | null>;

/** A phone fits the whole width even if the text is too small to read: the reader can zoom in. */
const smallestZoom = (width: number): number => (width < 480 ? 0.48 : 0.62);

/** Fits the whole graph while it stays legible, else its start; again when the shape or the size changes. */
function useOverview(flow: Flow, frame: Frame, drawing: Drawing): void {
  const shape = `${Math.round(drawing.width)} ${Math.round(drawing.height)}`;
  const latest = useRef(drawing);
  latest.current = drawing;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape stands for the drawing
  useEffect(() => {
    const element = frame.current;
    if (!flow || !element) return;
    let lastWidth = 0;
    const place = () => {
      const { clientWidth, clientHeight } = element;
      if (clientWidth === 0 || clientWidth === lastWidth) return;
      lastWidth = clientWidth;
      const { width, height, nodes } = latest.current;
      const fitting = Math.min(clientWidth / width, clientHeight / height, 1);
      const zoom = Math.max(fitting, smallestZoom(clientWidth));
      const start = nodes.find(({ id }) => id === 'trigger');
      const middle = fitting < zoom && start ? start.x + start.width / 2 : width / 2;
      const y = Math.max(0, Math.min(16, (clientHeight - height * zoom) / 2));
      void flow.setViewport({ x: clientWidth / 2 - middle * zoom, y, zoom });
    };
    const observer = new ResizeObserver(place);
    observer.observe(element);
    return () => observer.disconnect();
  }, [flow, frame, shape]);
}

/** Scrolls the selected or current step into view. */
function useFollow(flow: Flow, frame: Frame, drawing: Drawing, index: number | null): void {
  const latest = useRef(drawing);
  latest.current = drawing;
  useEffect(() => {
    const element = frame.current;
    const node = latest.current.nodes.find(({ id }) => id === String(index));
    if (!flow || !element || !node) return;
    const { x, y, zoom } = flow.getViewport();
    const left = node.x * zoom + x;
    const top = node.y * zoom + y;
    const isIn =
      left >= 0 &&
      top >= 0 &&
      left + node.width * zoom <= element.clientWidth &&
      top + node.height * zoom <= element.clientHeight;
    if (!isIn) void flow.setCenter(node.x + node.width / 2, node.y + node.height / 2, { zoom, ...motion() });
  }, [flow, frame, index]);
}

function motion(): { duration: number } {
  return { duration: matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 200 };
}

function indexOfCurrent(body: Body, progress: Progress | null): number | null {
  const index = body.steps.findIndex(({ id }) => id === progress?.currentStepId);
  return index === -1 ? null : index;
}
