import { channelNames, common } from '../../../strings/common.ts';
import { workflows } from '../../../strings/workflows.ts';
import {
  Button,
  Checkbox,
  Field,
  IconButton,
  InboxFields,
  Input,
  inboxOf,
  Select,
} from '../../../ui/index.ts';
import { branchesOf, endTarget, inboxDraftOf, textOf } from '../definition.ts';
import { setField } from './edit.ts';
import {
  ChoiceField,
  type FieldsProps,
  ObjectField,
  TargetField,
  Targets,
  TextField,
} from './step-fields.tsx';
import styles from './steps.module.css';

const { panel } = workflows;

/** The fields of one kind of step. */
export function KindFields(props: FieldsProps) {
  switch (props.step.kind) {
    case 'send':
      return <SendFields {...props} />;
    case 'delay':
      return <DelayFields {...props} />;
    case 'branch':
      return <BranchFields {...props} />;
    case 'wait_for_event':
      return <WaitFields {...props} />;
    case 'digest':
      return <DigestFields {...props} />;
    case 'throttle':
      return <ThrottleFields {...props} />;
    case 'fetch':
      return <FetchFields {...props} />;
    case 'cancel':
    case 'noop':
      return <p>{panel.plain}</p>;
    default:
      return <p>{panel.unknown}</p>;
  }
}

function SendFields(props: FieldsProps) {
  const { step, names, disabled, onChange, errorOf } = props;
  const usesTemplate = textOf(step.template_key) !== '';
  return (
    <>
      <div className={styles.pair}>
        <ChoiceField
          {...props}
          name="channel"
          label={panel.channel}
          empty=""
          choices={channelNames}
          text={common.channelInCode}
        />
        <ChoiceField
          {...props}
          name="category"
          label={panel.category}
          empty={panel.noCategory}
          choices={names.categories}
        />
      </div>
      <ObjectField {...props} name="recipient" label={panel.recipient} hint={panel.recipientHint} />
      <ChoiceField
        {...props}
        name="template_key"
        label={panel.templateKey}
        empty={panel.inline}
        choices={names.templates}
      />
      {usesTemplate ? (
        <ObjectField {...props} name="template_data" label={panel.templateData} />
      ) : (
        <>
          <TextField {...props} name="subject" label={panel.subject} />
          <TextField {...props} name="text_body" label={panel.textBody} area />
          <TextField {...props} name="html_body" label={panel.htmlBody} area mono />
        </>
      )}
      {step.channel === 'in_app' && (
        <>
          <TextField {...props} name="action_url" label={panel.actionUrl} />
          <InboxFields
            draft={inboxDraftOf(step)}
            disabled={disabled}
            errorOf={errorOf}
            onChange={(draft) => {
              const { tags, actions } = inboxOf(draft);
              onChange(setField(setField(step, 'tags', tags), 'actions', actions));
            }}
          />
        </>
      )}
      <div className={styles.pair}>
        <ChoiceField
          {...props}
          name="wait_for"
          label={panel.waitFor}
          empty={panel.waitForNames.accepted ?? ''}
          choices={['sent', 'delivered']}
          text={(value) => panel.waitForNames[value] ?? value}
        />
        <TextField {...props} name="timeout" label={panel.sendTimeout} />
      </div>
    </>
  );
}

function DelayFields(props: FieldsProps) {
  return (
    <>
      <TextField {...props} name="duration" label={panel.duration} hint={panel.durationHint} />
      <TextField {...props} name="until" label={panel.until} hint={panel.untilHint} mono />
      <div className={styles.pair}>
        <TextField {...props} name="at" label={panel.at} hint={panel.atHint} />
        <TextField {...props} name="timezone" label={panel.timezone} hint={panel.timezoneHint} />
      </div>
      <ObjectField {...props} name="window" label={panel.deliveryWindow} hint={panel.deliveryWindowHint} />
      <TextField {...props} name="fallback_timezone" label={panel.fallbackTimezone} />
    </>
  );
}

function ThrottleFields(props: FieldsProps) {
  const { step, disabled, onChange, errorOf } = props;
  return (
    <>
      <TextField {...props} name="key" label={panel.throttleKey} mono />
      <div className={styles.pair}>
        <Field label={panel.limit} error={errorOf('limit')}>
          <Input
            type="number"
            min={1}
            max={1000}
            disabled={disabled}
            value={typeof step.limit === 'number' ? step.limit : ''}
            onChange={(event) => onChange({ ...step, limit: event.target.valueAsNumber || 0 })}
          />
        </Field>
        <TextField {...props} name="window" label={panel.throttleWindow} hint={panel.durationHint} />
      </div>
      <div className={styles.pair}>
        <ChoiceField
          {...props}
          name="mode"
          label={panel.mode}
          empty={panel.modeNames.skip ?? ''}
          choices={['wait']}
          text={(value) => panel.modeNames[value] ?? value}
        />
        {step.mode !== 'wait' && (
          <TargetField {...props} name="on_limit" label={panel.onLimit} empty={panel.runEnds} />
        )}
      </div>
    </>
  );
}

function BranchFields(props: FieldsProps) {
  const { step, steps, disabled, onChange, errorOf } = props;
  const branches = branchesOf(step);
  const set = (next: typeof branches) => onChange({ ...step, branches: next });
  return (
    <>
      {branches.map((branch, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a condition has no identity besides its position
        <div key={index} className={styles.branch}>
          <Field label={panel.branchWhen(index + 1)} error={errorOf(`branches/${index}/when`)}>
            <Input
              mono
              value={branch.when}
              disabled={disabled}
              onChange={(event) => set(branches.with(index, { ...branch, when: event.target.value }))}
            />
          </Field>
          <Field label={panel.branchGoto(index + 1)} error={errorOf(`branches/${index}/goto`)}>
            <Select
              value={branch.goto}
              disabled={disabled}
              onChange={(event) => set(branches.with(index, { ...branch, goto: event.target.value }))}
            >
              <Targets steps={steps} value={branch.goto} />
            </Select>
          </Field>
          <IconButton
            label={panel.removeBranch(index + 1)}
            icon="trash"
            disabled={disabled || branches.length === 1}
            onClick={() => set(branches.toSpliced(index, 1))}
          />
        </div>
      ))}
      <div>
        <Button
          size="small"
          icon="plus"
          disabled={disabled}
          onClick={() => set([...branches, { when: 'true', goto: endTarget }])}
        >
          {panel.addBranch}
        </Button>
      </div>
      <TargetField {...props} name="else" label={panel.otherwise} empty={panel.following} />
    </>
  );
}

function WaitFields(props: FieldsProps) {
  const { step, disabled, onChange } = props;
  return (
    <>
      <TextField {...props} name="event" label={panel.event} hint={panel.eventHint} />
      <ObjectField {...props} name="match" label={panel.match} hint={panel.matchHint} />
      <div className={styles.pair}>
        <TextField {...props} name="timeout" label={panel.timeout} hint={panel.timeoutHint} />
        <TargetField {...props} name="on_timeout" label={panel.onTimeout} empty={panel.following} />
      </div>
      <Checkbox
        label={panel.lookback}
        checked={step.lookback === true}
        disabled={disabled}
        onChange={(event) => onChange(setField(step, 'lookback', event.target.checked || undefined))}
      />
    </>
  );
}

function DigestFields(props: FieldsProps) {
  const { step, disabled, onChange, errorOf } = props;
  return (
    <>
      <TextField {...props} name="key" label={panel.digestKey} mono />
      <div className={styles.pair}>
        <TextField {...props} name="window" label={panel.window} hint={panel.durationHint} />
        <Field label={panel.maxItems} error={errorOf('max_items')}>
          <Input
            type="number"
            min={1}
            max={1000}
            disabled={disabled}
            value={typeof step.max_items === 'number' ? step.max_items : ''}
            onChange={(event) =>
              onChange(
                setField(
                  step,
                  'max_items',
                  event.target.value === '' ? undefined : event.target.valueAsNumber,
                ),
              )
            }
          />
        </Field>
      </div>
    </>
  );
}

function FetchFields(props: FieldsProps) {
  return (
    <>
      <TextField {...props} name="url" label={panel.url} mono />
      <div className={styles.pair}>
        <ChoiceField
          {...props}
          name="method"
          label={panel.method}
          empty="GET"
          choices={['POST', 'PUT', 'PATCH', 'DELETE']}
        />
        <TargetField {...props} name="on_error" label={panel.onError} empty={panel.runFails} />
      </div>
      <ObjectField {...props} name="headers" label={panel.headers} />
      <ObjectField {...props} name="body" label={panel.body} />
    </>
  );
}
