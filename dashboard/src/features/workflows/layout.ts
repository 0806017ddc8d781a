import { Graph, layout } from '@dagrejs/dagre';
import { type Body, isObject, type Step } from './definition.ts';
import { type Road, roadsOf } from './roads.ts';
import { conditionOf, reasonsText } from './summary.ts';

export interface Point {
  x: number;
  y: number;
}

export interface PlacedNode extends Point {
  /** `trigger`, `end`, or the index of a step. */
  id: string;
  step: Step | null;
  width: number;
  height: number;
}

export interface PlacedEdge {
  id: string;
  from: string;
  to: string;
  label: string;
  tone: 'plain' | 'timeout' | 'error';
  points: Point[];
  labelAt: Point;
  labelWidth: number;
}

export interface Drawing {
  nodes: PlacedNode[];
  edges: PlacedEdge[];
  width: number;
  height: number;
}

const nodeWidth = 212;
const labelHeight = 22;
const maxLabelWidth = 176;

/** Top to bottom; labels have room of their own on the roads. */
export function draw(body: Body): Drawing {
  const graph = new Graph<object, Size, EdgeSize>();
  graph.setGraph({ rankdir: 'TB', nodesep: 26, ranksep: 28, edgesep: 18, marginx: 12, marginy: 12 });
  graph.setNode('trigger', { width: nodeWidth, height: 56 });
  for (const [index, step] of body.steps.entries()) {
    graph.setNode(String(index), { width: nodeWidth, height: conditionOf(step) === null ? 58 : 78 });
  }
  graph.setNode('end', { width: 132, height: 34 });

  const edges = [...(body.steps.length > 0 ? [] : [noSteps]), ...roadsOf(body.steps).map(edgeOf)];
  if (body.steps.length > 0) edges.unshift({ from: 'trigger', to: '0', label: '', tone: 'plain' });
  for (const { from, to, label } of edges) {
    const width = label === '' ? 0 : labelWidth(label);
    graph.setEdge(from, to, { width, height: label === '' ? 0 : labelHeight, labelpos: 'c' });
  }
  layout(graph);
  return {
    width: sizeOf(graph.graph()).width,
    height: sizeOf(graph.graph()).height,
    nodes: graph.nodes().map((id) => {
      const { x = 0, y = 0, width, height } = graph.node(id);
      const step = body.steps[Number(id)] ?? null;
      return { id, step, x: x - width / 2, y: y - height / 2, width, height };
    }),
    edges: edges.map((edge) => {
      const { points = [], x = 0, y = 0 } = graph.edge(edge.from, edge.to);
      return {
        ...edge,
        id: `${edge.from}>${edge.to}`,
        points,
        labelAt: { x, y },
        labelWidth: labelWidth(edge.label),
      };
    }),
  };
}

interface Size extends Partial<Point> {
  width: number;
  height: number;
}
interface EdgeSize extends Size {
  labelpos: 'c';
  points?: Point[];
}
type Sketch = Pick<PlacedEdge, 'from' | 'to' | 'label' | 'tone'>;

const noSteps: Sketch = { from: 'trigger', to: 'end', label: '', tone: 'plain' };

function edgeOf({ from, to, reasons }: Road): Sketch {
  const isOnly = (kind: string) => reasons.every((reason) => reason.kind === kind);
  return {
    from: String(from),
    to: to === null ? 'end' : String(to),
    label: reasonsText(reasons),
    tone: isOnly('timeout') ? 'timeout' : isOnly('error') ? 'error' : 'plain',
  };
}

function labelWidth(label: string): number {
  return Math.min(maxLabelWidth, 16 + label.length * 6.6);
}

function sizeOf(label: unknown): { width: number; height: number } {
  const { width, height } = isObject(label) ? label : {};
  return { width: Number(width) || 0, height: Number(height) || 0 };
}

/** A soft line through the points: straight at its ends, round where it turns. */
export function pathOf(points: Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  const parts = [`M${first.x},${first.y}`];
  for (const [index, point] of rest.entries()) {
    const next = rest[index + 1];
    if (!next) parts.push(`L${point.x},${point.y}`);
    else parts.push(`Q${point.x},${point.y} ${(point.x + next.x) / 2},${(point.y + next.y) / 2}`);
  }
  return parts.join(' ');
}
