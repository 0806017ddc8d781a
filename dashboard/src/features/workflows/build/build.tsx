import { type ReactNode, useMemo, useRef, useState } from 'react';
import { CodeEditor, type EditorHandle } from '../../../editor/index.ts';
import { localStore } from '../../../shell/local-store.ts';
import { common } from '../../../strings/common.ts';
import { workflows } from '../../../strings/workflows.ts';
import { Card, classes, Notice } from '../../../ui/index.ts';
import { Graph } from '../graph/graph.tsx';
import { useBodySchema, useNames } from '../queries.ts';
import styles from '../workbench.module.css';
import { completeBody } from './complete.ts';
import { positionOf, rangeOf, stepAt } from './json-text.ts';
import { ProblemList } from './problem-list.tsx';
import { type Problem, stepIndexOf } from './problems.ts';
import { StepPanel } from './step-panel.tsx';
import type { Draft } from './use-draft.ts';
import { useMedia } from './use-media.ts';

const { editor } = workflows;
type Pane = 'graph' | 'steps' | 'code';
const paneNames: Record<Pane, string> = { graph: editor.graph, steps: editor.steps, code: editor.code };

/** The graph, the step fields and the JSON: three views of one text with a shared selection. */
export function Build(props: { draft: Draft; readOnly: boolean; children: ReactNode }) {
  const { draft, readOnly, children } = props;
  const [selected, setSelected] = useState<number | null>(null);
  const isNarrow = useMedia('(max-width: 1020px)');
  const isWide = useMedia('(min-width: 1560px)');
  const [pane, setPane] = usePane(isNarrow);
  const code = useRef<EditorHandle | null>(null);
  const names = useNames();
  const schema = useBodySchema().data;
  const complete = useMemo(() => completeBody(schema, names, draft.body), [schema, names, draft.body]);
  const marks = useMarks(draft);

  const select = (index: number | null) => {
    setSelected(index);
    if (index !== null) reveal(`/steps/${index}`, true);
  };
  const reveal = (pointer: string, keepFocus: boolean) => {
    if (!draft.parsed.ok) return;
    const { line, column } = positionOf(draft.text, rangeOf(draft.parsed.ranges, pointer).from);
    code.current?.reveal(line, column, { keepFocus });
  };
  const showCode = (pointer: string) => {
    setPane('code');
    // The pane must be visible before the editor can scroll.
    requestAnimationFrame(() => reveal(pointer, false));
  };
  const showProblem = ({ pointer }: Problem) => {
    setSelected(stepIndexOf(pointer));
    showCode(pointer);
  };
  const shown = {
    graph: !isNarrow || pane === 'graph',
    steps: isWide || pane === 'steps',
    code: isWide || pane === 'code',
  };

  return (
    <>
      {readOnly && <Notice>{common.viewerOnly}</Notice>}
      <div className={styles.bar}>
        {children}
        {!isWide && <PaneSwitch pane={pane} onChange={setPane} panes={isNarrow ? all : beside} />}
      </div>
      <div className={classes(styles.split, styles.three)}>
        {shown.graph && (
          <div className={styles.graph}>
            <Graph
              body={draft.body}
              selected={selected}
              problems={draft.problems}
              onSelect={(index) => {
                select(index);
                if (isNarrow && index !== null) setPane('steps');
              }}
            />
          </div>
        )}
        <Card className={shown.steps ? '' : styles.hidden}>
          <StepPanel
            draft={draft}
            selected={selected}
            onSelect={select}
            onShowCode={(index) => showCode(`/steps/${index}`)}
            names={names}
            readOnly={readOnly}
          />
        </Card>
        <div className={shown.code ? styles.side : styles.hidden}>
          {draft.broken && (
            <div role="status">
              <Notice tone="amber">{draft.broken.message}</Notice>
            </div>
          )}
          <CodeEditor
            language="json"
            label={editor.body}
            value={draft.text}
            onChange={draft.setText}
            readOnly={readOnly}
            complete={complete}
            problems={marks}
            minHeight={380}
            maxHeight={Math.max(420, window.innerHeight - 140)}
            handle={code}
            onCursor={(at) => draft.parsed.ok && setSelected(stepAt(draft.parsed.ranges, at))}
          />
        </div>
      </div>
      <ProblemList problems={draft.problems} steps={draft.body.steps} onShow={showProblem} />
    </>
  );
}

const all: Pane[] = ['graph', 'steps', 'code'];
const beside: Pane[] = ['steps', 'code'];

/** Next to the graph the last choice is kept; a phone starts with the graph. */
function usePane(isNarrow: boolean): [Pane, (pane: Pane) => void] {
  const [narrowPane, setNarrowPane] = useState<Pane>('graph');
  const [sidePane, setSidePane] = useState<Pane>(() =>
    localStore.get('workflow-pane') === 'steps' ? 'steps' : 'code',
  );
  return [
    isNarrow ? narrowPane : sidePane,
    (pane) => {
      setNarrowPane(pane);
      if (pane === 'graph') return;
      setSidePane(pane);
      localStore.set('workflow-pane', pane);
    },
  ];
}

function PaneSwitch(props: { pane: Pane; panes: Pane[]; onChange(pane: Pane): void }) {
  const { pane, panes, onChange } = props;
  return (
    <fieldset className={styles.switch} aria-label={editor.panes}>
      {panes.map((each) => (
        <button
          key={each}
          type="button"
          className={styles.tab}
          aria-pressed={each === pane}
          onClick={() => onChange(each)}
        >
          {paneNames[each]}
        </button>
      ))}
    </fieldset>
  );
}

/** The positions of the problems in the text. */
function useMarks({ text, parsed, problems }: Draft) {
  return useMemo(() => {
    if (!parsed.ok) return [];
    return problems.map(({ pointer, message }) => ({
      ...positionOf(text, rangeOf(parsed.ranges, pointer).from),
      message,
    }));
  }, [text, parsed, problems]);
}
