import type { Workflow } from '@carillon/sdk';
import { CarillonError } from '@carillon/sdk';
import { useParams } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { useCan, useEnvironment } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { useFilters } from '../../shell/filters.ts';
import { UnsavedGuard } from '../../shell/unsaved.tsx';
import { workflows } from '../../strings/workflows.ts';
import { Badge, Button, ConfirmDialog, FormError, Notice } from '../../ui/index.ts';
import { Build } from './build/build.tsx';
import { parseText } from './build/json-text.ts';
import { type FoundProblem, keepProblems, type Problem } from './build/problems.ts';
import { useDraft } from './build/use-draft.ts';
import { useText } from './build/use-text.ts';
import { readBody, writeBody } from './definition.ts';
import { WorkflowLayout, type WorkflowTab, WorkflowWaiting } from './layout.tsx';
import { useCheck, useVersion, useWorkflow } from './queries.ts';
import { Simulate } from './simulate/simulate.tsx';
import { starters } from './starters.ts';
import { tidy } from './versions/promote-dialog.tsx';
import { useActivation } from './versions/use-activation.ts';
import { Versions } from './versions/versions.tsx';
import styles from './workbench.module.css';

const { editor } = workflows;

export default function WorkflowPage() {
  const { key = '' } = useParams({ strict: false });
  const workflow = useWorkflow(key);
  const version = useVersion(key, workflow.data?.latest_version ?? null, true);
  const found = workflow.data;
  if (!found) return <WorkflowWaiting name={key} query={workflow} />;
  if (found.latest_version === null) return <Workbench key={found.id} workflow={found} saved={null} />;
  if (!version.data) return <WorkflowWaiting name={found.name} query={version} />;
  return <Workbench key={found.id} workflow={found} saved={version.data.body_json} />;
}

/** Holds the draft, so that it survives a switch to the versions or the simulation. */
function Workbench({ workflow, saved }: { workflow: Workflow; saved: string | null }) {
  const tab = useTab();
  const readOnly = !useCan('workflows:write');
  const savedText = useMemo(() => (saved === null ? null : legible(saved)), [saved]);
  const { environment } = useEnvironment();
  const latest = workflow.latest_version;
  const edited = useText(`${environment.id}.${workflow.id}`, savedText ?? writeBody(starters.blank), latest);
  const check = useCheck(workflow.key, latest).data;
  const [refused, setRefused] = useState<FoundProblem[]>([]);
  const found = useMemo(
    () => [...refused, ...keepProblems(check?.errors ?? [], stepsOf(savedText ?? ''))],
    [refused, check, savedText],
  );
  const draft = useDraft(edited.text, savedText, edited.set, found);
  const save = useSave(workflow, setRefused, edited.rebase);
  const activation = useActivation(workflow.key);
  const submit = () => save.mutateAsync(draft.text);
  const canSave = draft.isDirty && !readOnly && draft.broken === null;
  useSaveKey(canSave, () => void submit().catch(() => {}));

  return (
    <WorkflowLayout
      workflow={workflow}
      tab={tab}
      actions={
        !readOnly && (
          <>
            {edited.isTouched && <Discard onDiscard={edited.discard} />}
            {!draft.isDirty && latest !== null && latest !== workflow.active_version ? (
              <Button
                variant="primary"
                icon="check"
                busy={activation.isPending}
                // The button replaces the save button; the second click of a double click must not activate.
                onClick={({ detail }) => detail < 2 && activation.mutate(latest)}
              >
                {editor.activate(latest)}
              </Button>
            ) : (
              <Button
                variant={draft.isDirty ? 'primary' : 'secondary'}
                disabled={!canSave}
                busy={save.isPending}
                title={editor.saveHint((latest ?? 0) + 1)}
                onClick={() => void submit().catch(() => {})}
              >
                {editor.save}
              </Button>
            )}
          </>
        )
      }
    >
      <UnsavedGuard when={edited.isTouched && !readOnly} />
      <SaveError error={save.error} hasPlace={refused.length > 0} />
      {edited.isRestored && <Notice>{editor.restored}</Notice>}
      {edited.isBehind && <Notice tone="amber">{editor.behind(latest ?? 0)}</Notice>}
      {tab === 'build' && (
        <Build draft={draft} readOnly={readOnly}>
          <DraftState
            isDirty={draft.isDirty}
            version={latest}
            isActive={latest === workflow.active_version}
            isValid={check?.valid === true && draft.problems.length === 0}
          />
        </Build>
      )}
      {tab === 'simulate' && (
        <Simulate
          workflow={workflow}
          draft={draft}
          save={canSave ? async () => (await submit()).version : null}
        />
      )}
      {tab === 'versions' && <Versions workflow={workflow} readOnly={readOnly} />}
    </WorkflowLayout>
  );
}

/** Multi-line text stays as written; a single line, as programs send it, is formatted. */
function legible(text: string): string {
  return text.includes('\n') ? text : tidy(text);
}

function useTab(): WorkflowTab {
  const { tab } = useFilters('tab').values;
  return tab === 'simulate' || tab === 'versions' ? tab : 'build';
}

/** Every save is a new version; no version is overwritten. */
function useSave(
  workflow: Workflow,
  setRefused: (problems: FoundProblem[]) => void,
  onSaved: (version: number) => void,
) {
  return useWrite<string, { version: number }>(
    (api, text) => {
      setRefused([]);
      return api.workflows.createVersion(workflow.key, { body_json: text }).catch((error: unknown) => {
        setRefused(keepProblems(problemOf(error), stepsOf(text)));
        throw error;
      });
    },
    {
      changes: [['workflows']],
      quiet: true,
      onDone: ({ version }) => onSaved(version),
      done: ({ version }) =>
        version === (workflow.latest_version ?? 0) + 1 ? editor.saved(version) : editor.savedAfter(version),
    },
  );
}

/** The body was rejected: `param` is a pointer to the first problem. */
function problemOf(error: unknown): Problem[] {
  if (!(error instanceof CarillonError) || !error.param?.startsWith('/')) return [];
  return [{ pointer: error.param, message: error.message }];
}

function SaveError({ error, hasPlace }: { error: unknown; hasPlace: boolean }) {
  return hasPlace ? null : <FormError error={error} />;
}

function stepsOf(text: string) {
  const parsed = parseText(text);
  return (parsed.ok ? readBody(parsed.value)?.steps : null) ?? [];
}

function useSaveKey(canSave: boolean, save: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return;
      event.preventDefault();
      if (canSave) save();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  });
}

function DraftState(props: {
  isDirty: boolean;
  version: number | null;
  isActive: boolean;
  isValid: boolean;
}) {
  const { isDirty, version, isActive, isValid } = props;
  if (isDirty || version === null) {
    return (
      <span role="status">
        <Badge tone="amber" shape="hollow">
          {editor.unsaved}
        </Badge>{' '}
        <span className={styles.muted}>{editor.saveToCheck}</span>
      </span>
    );
  }
  return (
    <span role="status">
      <Badge>{editor.clean(version)}</Badge>{' '}
      {isValid && <span className={styles.muted}>{isActive ? editor.isActive : editor.valid}</span>}
    </span>
  );
}

function Discard({ onDiscard }: { onDiscard(): void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="ghost" onClick={() => setOpen(true)}>
        {editor.discard}
      </Button>
      <ConfirmDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title={editor.discardTitle}
        confirm={editor.discard}
        onConfirm={() => {
          onDiscard();
          setOpen(false);
        }}
      >
        {editor.discardText}
      </ConfirmDialog>
    </>
  );
}
