import type { SimulatedRun, Workflow } from '@carillon/sdk';
import { useMemo, useRef, useState } from 'react';
import { useWrite } from '../../../api/queries.ts';
import { workflows } from '../../../strings/workflows.ts';
import { Button, Card, classes, EmptyState, FormError, Notice, StatusBadge } from '../../../ui/index.ts';
import type { Draft } from '../build/use-draft.ts';
import { type Body, indexOfStep } from '../definition.ts';
import { Graph } from '../graph/graph.tsx';
import { Entries } from '../run/entries.tsx';
import { entriesAt, type Moment, momentsOf, progressOf } from '../run/timeline.ts';
import bench from '../workbench.module.css';
import { Player, usePlayer } from './player.tsx';
import styles from './simulate.module.css';
import { firstScript, isReadable, requestOf, ScriptForm } from './simulate-form.tsx';

const { simulation } = workflows;

interface Result {
  run: SimulatedRun;
  /** The simulated body; the draft may have changed since. */
  body: Body;
  version: number;
}

/** A run without side effects, played on the graph. */
export function Simulate(props: {
  workflow: Workflow;
  draft: Draft;
  /** Saves the changed draft first; null when there are no changes, or they cannot be saved. */
  save: (() => Promise<number>) | null;
}) {
  const { workflow, draft, save } = props;
  const [script, setScript] = useState(() => firstScript(draft.body));
  const [chosen, setChosen] = useState<{ moment: number; attempt: string | null } | null>(null);
  const stage = useRef<HTMLDivElement>(null);
  const simulate = useWrite<void, Result>(
    async (api) => {
      const version = save ? await save() : (workflow.latest_version ?? 0);
      const run = await api.workflows.simulateVersion(workflow.key, version, requestOf(script));
      return { run, body: draft.body, version };
    },
    {
      quiet: true,
      onDone: () => {
        player.restart();
        setChosen(null);
        stage.current?.scrollIntoView({ block: 'nearest' });
      },
    },
  );
  const result = simulate.data;
  const moments = useMemo(
    () => (result ? momentsOf(result.run.steps, result.run.steps[0]?.started_at ?? '') : []),
    [result],
  );
  const player = usePlayer(moments.length);
  const moment = moments[player.position];
  const entries = result && moment ? entriesAt(result.run.steps, moment) : [];
  const progress = result ? progressOf(entries) : null;
  const isAtEnd = result !== undefined && player.position === player.last;
  const body = result?.body ?? draft.body;
  // The current entry is open, unless another one was opened while the player was paused.
  const latest = entries.at(-1)?.attempt_id ?? null;
  const open = chosen?.moment === player.position ? chosen.attempt : latest;
  const openStep = entries.find(({ attempt_id }) => attempt_id === open)?.step_id;

  return (
    <div className={bench.split}>
      <div className={classes(bench.graph, styles.stage)} ref={stage}>
        {result && <Player player={player} moments={moments} describe={(each) => describe(each, result)} />}
        <Graph
          body={body}
          progress={progress}
          selected={openStep === undefined ? null : indexOfStep(body.steps, openStep)}
          onSelect={(index) => {
            const id = index === null ? undefined : body.steps[index]?.id;
            const attempt = entries.findLast(({ step_id }) => step_id === id)?.attempt_id;
            if (attempt !== undefined) setChosen({ moment: player.position, attempt });
          }}
        />
      </div>
      <div className={bench.side}>
        <Card
          title={simulation.title}
          actions={
            <Button
              variant="primary"
              icon="play"
              size="small"
              busy={simulate.isPending}
              disabled={
                !isReadable(script) || draft.broken !== null || (workflow.latest_version === null && !save)
              }
              onClick={() => simulate.mutate()}
            >
              {save ? simulation.saveAndRun : simulation.run}
            </Button>
          }
        >
          <p className={styles.muted}>{simulation.intro}</p>
          {save && <Notice tone="amber">{simulation.savesFirst}</Notice>}
          <FormError error={simulate.error} />
          <ScriptForm body={draft.body} script={script} onChange={setScript} />
        </Card>
        <Card
          title={simulation.result}
          flush={result !== undefined}
          actions={isAtEnd && <StatusBadge status={result.run.status} />}
        >
          {result ? (
            <>
              {isAtEnd && result.run.failure_reason !== null && (
                <Notice tone="red">{result.run.failure_reason}</Notice>
              )}
              <Entries
                entries={entries}
                steps={body.steps}
                open={open}
                onOpen={(attempt) => setChosen({ moment: player.position, attempt })}
                isReal={false}
              />
            </>
          ) : (
            <EmptyState title={simulation.empty} icon="play" />
          )}
        </Card>
      </div>
    </div>
  );
}

function describe({ entry, phase }: Moment, { run }: Result): string {
  const step = run.steps[entry];
  if (phase === 'triggered' || !step) return simulation.triggered;
  if (phase === 'begins') return simulation.reached(step.step_id);
  return simulation.passed(step.step_id, workflows.outcome(step.outcome ?? step.status));
}
