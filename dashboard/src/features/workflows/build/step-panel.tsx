import { useState } from 'react';
import { workflows } from '../../../strings/workflows.ts';
import { Button, Field, IconButton, Input, Notice, Select } from '../../../ui/index.ts';
import { type Kind, kinds, type Step } from '../definition.ts';
import type { Names } from './complete.ts';
import { addStep, changeKind, moveStep, removeStep, renameStep, replaceStep } from './edit.ts';
import { KindFields } from './kind-fields.tsx';
import { fieldOf, stepIndexOf } from './problems.ts';
import { type FieldsProps, TargetField, TextField } from './step-fields.tsx';
import styles from './steps.module.css';
import { AddStepMenu, StepsList } from './steps-list.tsx';
import type { Draft } from './use-draft.ts';

const { panel } = workflows;

/** The list of steps, or the fields of the selected one. */
export function StepPanel(props: {
  draft: Draft;
  selected: number | null;
  onSelect(index: number | null): void;
  onShowCode(index: number): void;
  names: Names;
  readOnly: boolean;
}) {
  const { draft, selected, onSelect, onShowCode, names, readOnly } = props;
  const { body, problems, change, broken } = draft;
  const step = selected === null ? undefined : body.steps[selected];
  const disabled = readOnly || broken !== null;
  const add = (after: number) => (kind: (typeof kinds)[number]) => {
    change((former) => addStep(former, after, kind).body);
    onSelect(after + 1);
  };

  if (!step || selected === null) {
    return (
      <div className={styles.form}>
        {broken && <Notice tone="amber">{panel.notSaved}</Notice>}
        <StepsList steps={body.steps} selected={selected} problems={problems} onSelect={onSelect} />
        {!disabled && (
          <div>
            <AddStepMenu
              onAdd={add(body.steps.length - 1)}
              trigger={
                <Button size="small" icon="plus">
                  {panel.addFirst}
                </Button>
              }
            />
          </div>
        )}
      </div>
    );
  }

  const own = problems.filter(({ pointer }) => stepIndexOf(pointer) === selected);
  const fields: FieldsProps = {
    step,
    steps: body.steps,
    names,
    disabled,
    onChange: (next) => change((former) => replaceStep(former, selected, next)),
    errorOf: (field) => own.find(({ pointer }) => fieldOf(pointer) === field)?.message ?? null,
  };
  const elsewhere = own.filter(({ pointer }) => !shownFields.test(fieldOf(pointer)));
  return (
    <div className={styles.form}>
      <div className={styles.tools}>
        <Button size="small" variant="ghost" icon="back" onClick={() => onSelect(null)}>
          {panel.allSteps}
        </Button>
        <IconButton
          label={panel.showInCode}
          icon="webhook"
          size="small"
          onClick={() => onShowCode(selected)}
        />
        {!disabled && (
          <>
            <IconButton
              label={panel.moveUp}
              icon="up"
              size="small"
              disabled={selected === 0}
              onClick={() => {
                change((former) => moveStep(former, selected, -1));
                onSelect(selected - 1);
              }}
            />
            <IconButton
              label={panel.moveDown}
              icon="down"
              size="small"
              disabled={selected === body.steps.length - 1}
              onClick={() => {
                change((former) => moveStep(former, selected, 1));
                onSelect(selected + 1);
              }}
            />
            <IconButton
              label={panel.remove}
              icon="trash"
              size="small"
              disabled={body.steps.length === 1}
              onClick={() => {
                change((former) => removeStep(former, selected));
                onSelect(null);
              }}
            />
            <AddStepMenu
              onAdd={add(selected)}
              trigger={
                <Button size="small" icon="plus">
                  {panel.addAfter}
                </Button>
              }
            />
          </>
        )}
      </div>
      {broken && <Notice tone="amber">{panel.notSaved}</Notice>}
      {elsewhere.map(({ pointer, message }) => (
        <Notice key={pointer} tone="red">
          {message}
        </Notice>
      ))}
      <div className={styles.pair}>
        <IdField
          key={step.id}
          step={step}
          steps={body.steps}
          disabled={disabled}
          error={fields.errorOf('id')}
          onRename={(id) => change((former) => renameStep(former, selected, id))}
        />
        <Field label={panel.kind} error={fields.errorOf('kind')}>
          <Select
            value={step.kind}
            disabled={disabled}
            onChange={(event) => {
              const kind = event.target.value as Kind;
              change((former) => changeKind(former, selected, kind));
            }}
          >
            {!(kinds as readonly string[]).includes(step.kind) && <option>{step.kind}</option>}
            {kinds.map((kind) => (
              <option key={kind} value={kind}>
                {workflows.kind(kind)}
              </option>
            ))}
          </Select>
        </Field>
      </div>
      <KindFields key={step.id} {...fields} />
      <TextField {...fields} name="when" label={panel.when} hint={panel.whenHint} mono />
      {step.kind !== 'cancel' && (
        <TargetField {...fields} name="next" label={panel.next} empty={panel.following} />
      )}
    </div>
  );
}

/** Problems of these fields appear beside them; all others above the form. */
const shownFields =
  /^(id|kind|when|next|channel|category|recipient|template_key|template_data|subject|text_body|html_body|action_url|tags|actions\/\d+\/(key|label|url|style)|wait_for|timeout|duration|until|at|timezone|branches\/\d+\/(when|goto)|else|event|match|on_timeout|key|window|max_items|url|method|headers|body|on_error)$/;

const idPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Renames on blur, not at every letter, so that references change once. */
function IdField(props: {
  step: Step;
  steps: readonly Step[];
  disabled: boolean;
  error: string | null;
  onRename(id: string): void;
}) {
  const { step, steps, disabled, error, onRename } = props;
  const [typed, setTyped] = useState(step.id);
  const isTaken = typed !== step.id && steps.some(({ id }) => id === typed);
  const bad = isTaken ? panel.idTaken : idPattern.test(typed) || typed === step.id ? null : panel.idBad;
  const finish = () => {
    if (bad === null && typed !== step.id) onRename(typed);
  };
  return (
    <Field label={panel.id} hint={panel.idHint} error={bad ?? error}>
      <Input
        mono
        value={typed}
        disabled={disabled}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={finish}
        onKeyDown={(event) => {
          if (event.key === 'Enter') finish();
        }}
      />
    </Field>
  );
}
