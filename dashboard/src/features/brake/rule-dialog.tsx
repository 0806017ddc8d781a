import type { BrakeRule, BrakeRuleInput } from '@carillon/sdk';
import { useState } from 'react';
import { useWrite } from '../../api/queries.ts';
import { brake } from '../../strings/brake.ts';
import { channelNames, common } from '../../strings/common.ts';
import { Field, FormDialog, Input, Select, Switch } from '../../ui/index.ts';

const text = brake.rule;
const counted = ['environment', 'key', 'category', 'workflow', 'recipient'] as const;

const newRule: Pick<BrakeRule, 'key' | 'name' | 'scope' | 'limit' | 'window' | 'action' | 'is_enabled'> & {
  match: BrakeRule['match'];
} = {
  key: '',
  name: '',
  scope: 'recipient',
  limit: 10,
  window: 'hour',
  action: 'hold',
  is_enabled: true,
  match: {},
};

/** The usual fields of a rule; the others (unit, templates, keys) stay as they are. */
export function RuleDialog({ rule, onClose }: { rule: BrakeRule | null; onClose(): void }) {
  const start = rule ?? newRule;
  const [key, setKey] = useState(start.key);
  const [name, setName] = useState(start.name);
  const [scope, setScope] = useState(start.scope);
  const [limit, setLimit] = useState(String(start.limit));
  const [period, setPeriod] = useState(start.window);
  const [action, setAction] = useState(start.action);
  const [channel, setChannel] = useState<string>(start.match.channel ?? '');
  const [category, setCategory] = useState(start.match.category ?? '');
  const [isEnabled, setEnabled] = useState(start.is_enabled);
  const isCounted = scope !== 'chain' && scope !== 'spike';
  const save = useWrite(
    (api) => {
      const { channel: _channel, category: _category, ...match } = start.match;
      const others = rule && {
        unit: rule.unit,
        hold_expires_hours: rule.hold_expires_hours,
        includes_critical: rule.includes_critical,
        per_template: scope === 'recipient' && rule.per_template,
      };
      const input: BrakeRuleInput = {
        ...others,
        name: name.trim(),
        scope,
        limit: Number(limit),
        window: period,
        action,
        is_enabled: isEnabled,
        match: {
          ...match,
          ...(channel && { channel: channel as NonNullable<BrakeRule['match']['channel']> }),
          ...(category.trim() && { category: category.trim() }),
        },
      };
      return api.brake.putRule(key.trim(), input);
    },
    { changes: [['brake']], done: ({ key: saved }) => text.saved(saved), quiet: true, onDone: onClose },
  );
  const isLimitWrong = !/^[1-9]\d*$/.test(limit.trim());
  return (
    <FormDialog
      onClose={onClose}
      title={rule ? text.edit(rule.key) : text.create}
      invalid={key.trim() === '' || name.trim() === '' || isLimitWrong}
      submit={text.submit}
      onSubmit={() => save.mutate()}
      busy={save.isPending}
      error={save.error}
    >
      {!rule && (
        <Field label={text.key} hint={text.keyHint} name="key" problem={key.trim() === '' && text.keyNeeded}>
          <Input value={key} maxLength={100} onChange={(event) => setKey(event.target.value)} />
        </Field>
      )}
      <Field label={text.name} name="name" problem={name.trim() === '' && text.nameNeeded}>
        <Input value={name} maxLength={200} onChange={(event) => setName(event.target.value)} />
      </Field>
      {isCounted && (
        <>
          <Field label={text.scope} name="scope">
            <Select
              value={scope}
              onChange={(event) => setScope(counted.find((each) => each === event.target.value) ?? scope)}
            >
              {counted.map((each) => (
                <option key={each} value={each}>
                  {brake.scopes[each]}
                </option>
              ))}
            </Select>
          </Field>
          <Field label={text.channel} name="match.channel">
            <Select value={channel} onChange={(event) => setChannel(event.target.value)}>
              <option value="">{brake.allChannels}</option>
              {channelNames.map((each) => (
                <option key={each} value={each}>
                  {common.channel(each)}
                </option>
              ))}
            </Select>
          </Field>
          <Field label={text.category} hint={text.categoryHint} name="match.category">
            <Input value={category} maxLength={100} onChange={(event) => setCategory(event.target.value)} />
          </Field>
        </>
      )}
      <Field label={text.limit} name="limit" problem={isLimitWrong && text.limitNeeded}>
        <Input inputMode="numeric" value={limit} onChange={(event) => setLimit(event.target.value)} />
      </Field>
      {isCounted && (
        <Field label={text.window} name="window">
          <Select value={period} onChange={(event) => setPeriod(event.target.value as BrakeRule['window'])}>
            {(['minute', 'hour', 'day'] as const).map((each) => (
              <option key={each} value={each}>
                {brake.windows[each]}
              </option>
            ))}
          </Select>
        </Field>
      )}
      {scope !== 'chain' && (
        <Field label={text.action} name="action">
          <Select value={action} onChange={(event) => setAction(event.target.value as BrakeRule['action'])}>
            {(isCounted
              ? (['hold', 'delay', 'suppress', 'notify'] as const)
              : (['notify', 'hold'] as const)
            ).map((each) => (
              <option key={each} value={each}>
                {brake.actions[each]}
              </option>
            ))}
          </Select>
        </Field>
      )}
      <Switch
        label={text.enabled}
        checked={isEnabled}
        onChange={(event) => setEnabled(event.target.checked)}
      />
    </FormDialog>
  );
}
