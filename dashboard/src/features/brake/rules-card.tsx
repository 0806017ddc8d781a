import type { BrakeRule } from '@carillon/sdk';
import { useState } from 'react';
import { useRead, useWrite } from '../../api/queries.ts';
import { brake as text } from '../../strings/brake.ts';
import { Badge, Button, Card, Loaded, menuColumn, Row, Table } from '../../ui/index.ts';
import { RuleDialog } from './rule-dialog.tsx';

export function RulesCard({ mayWrite }: { mayWrite: boolean }) {
  const [edited, setEdited] = useState<BrakeRule | 'new' | null>(null);
  const query = useRead(
    ['brake', 'rules'],
    async (api, signal) => (await api.brake.listRules({ signal }).page()).data,
  );
  const remove = useWrite((api, key: string) => api.brake.deleteRule(key), {
    changes: [['brake']],
    done: (_, key) => text.ruleDeleted(key),
  });
  return (
    <Card
      title={text.rules}
      flush
      actions={
        mayWrite && (
          <Button icon="plus" onClick={() => setEdited('new')}>
            {text.addRule}
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {(rules) => (
          <Table
            label={text.rules}
            rows={rules}
            rowKey={({ key }) => key}
            columns={[
              {
                header: text.columns.rule,
                cell: ({ name, is_default, is_enabled }) => (
                  <Row>
                    {name}
                    {is_default && <Badge>{text.isDefault}</Badge>}
                    {!is_enabled && <Badge tone="amber">{text.isOff}</Badge>}
                  </Row>
                ),
              },
              { header: text.columns.limit, cell: limitOf },
              { header: text.columns.action, cell: ({ action }) => text.actions[action] ?? action },
              menuColumn<BrakeRule>(
                ({ name }) => text.ruleActions(name),
                (rule) =>
                  mayWrite && [
                    { label: text.editRule, icon: 'edit', onSelect: () => setEdited(rule) },
                    !rule.is_default && {
                      label: text.deleteRule,
                      icon: 'trash',
                      danger: true,
                      onSelect: () => remove.mutate(rule.key),
                    },
                  ],
              ),
            ]}
          />
        )}
      </Loaded>
      {edited && <RuleDialog rule={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
    </Card>
  );
}

function limitOf({ scope, limit, unit, window }: BrakeRule): string {
  if (scope === 'chain') return text.chainLimit(limit);
  if (scope === 'spike') return text.spikeLimit(limit);
  const amount = unit === 'money' ? limit / 1_000_000 : limit;
  return text.limits(amount, text.units[unit] ?? unit, window, text.scopes[scope] ?? scope);
}
