import { Graph, layout } from '@dagrejs/dagre';
import { useMemo } from 'react';
import { type Body, isObject, type Step } from '../definition.ts';
import { pathsOf, type StepPath } from './paths.ts';
import { conditionOf, reasonsText } from './summary.ts';

interface Point {
  x: number;
  y: number;
}

interface Place extends Point {
  /** `trigger`, `end`, or the index of a step. */
  id: string;
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

interface Places {
  nodes: Place[];
  edges: PlacedEdge[];
  width: number;
  height: number;
}

export interface Drawing extends Places {
  nodes: (Place & { step: Step | null })[];
}

const nodeWidth = 212;
const labelHeight = 22;
const maxLabelWidth = 176;

/** The input of the layout: texts of a step do not move anything. */
interface Sketch {
  nodes: { id: string; width: number; height: number }[];
  edges: SketchedEdge[];
}

/** The drawing of a body. The layout is slow, so it is computed again only when the shape changes. */
export function useDrawing(body: Body): Drawing | null {
  const shape = useMemo(() => JSON.stringify(sketchOf(body)), [body]);
  const places = useMemo(() => {
    const sketch = JSON.parse(shape) as Sketch;
    return isTooLarge(sketch) ? null : place(sketch);
  }, [shape]);
  return useMemo(() => places && withSteps(places, body), [places, body]);
}

function withSteps(places: Places, { steps }: Body): Drawing {
  return {
    ...places,
    nodes: places.nodes.map((node) => ({ ...node, step: steps[Number(node.id)] ?? null })),
  };
}

const maxSteps = 300;
const maxLength = 2500;

/** Long edges dominate the layout time: a second or two within these limits, a minute without them. */
function isTooLarge({ nodes, edges }: Sketch): boolean {
  const place = new Map(nodes.map(({ id }, index) => [id, index]));
  const length = edges.reduce(
    (sum, { from, to }) => sum + Math.abs((place.get(to) ?? 0) - (place.get(from) ?? 0)),
    0,
  );
  return nodes.length > maxSteps || length > maxLength;
}

function sketchOf({ steps }: Body): Sketch {
  const first: SketchedEdge = {
    from: 'trigger',
    to: steps.length > 0 ? '0' : 'end',
    label: '',
    tone: 'plain',
  };
  return {
    nodes: [
      { id: 'trigger', width: nodeWidth, height: 56 },
      ...steps.map((step, index) => ({
        id: String(index),
        width: nodeWidth,
        height: conditionOf(step) === null ? 58 : 78,
      })),
      { id: 'end', width: 132, height: 34 },
    ],
    edges: [first, ...pathsOf(steps).map(edgeOf)],
  };
}

/** Lays out top to bottom; labels have room on the edges. */
function place({ nodes, edges }: Sketch): Places {
  const graph = new Graph<object, Size, EdgeSize>();
  graph.setGraph({ rankdir: 'TB', nodesep: 26, ranksep: 28, edgesep: 18, marginx: 12, marginy: 12 });
  for (const { id, width, height } of nodes) graph.setNode(id, { width, height });
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
      return { id, x: x - width / 2, y: y - height / 2, width, height };
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
type SketchedEdge = Pick<PlacedEdge, 'from' | 'to' | 'label' | 'tone'>;

function edgeOf({ from, to, reasons }: StepPath): SketchedEdge {
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

/** A curve through the points: straight at its ends, round at its turns. */
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
