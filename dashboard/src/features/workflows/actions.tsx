import type { Workflow } from '@carillon/sdk';
import { useState } from 'react';
import { useCan, useEnvironment } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { workflows } from '../../strings/workflows.ts';
import { Button, ConfirmDialog, IconButton, Menu } from '../../ui/index.ts';
import { DetailsDialog } from './details-dialog.tsx';
import { EventDialog } from './run/event-dialog.tsx';
import { TriggerDialog } from './run/trigger-dialog.tsx';
import { PromoteDialog } from './versions/promote-dialog.tsx';

const { actions, promote } = workflows;
type Open = 'trigger' | 'event' | 'promote' | 'details' | 'disable' | null;

/** The actions on every page of a workflow. */
export function WorkflowActions({ workflow }: { workflow: Workflow }) {
  const { kind } = useEnvironment();
  const canWrite = useCan('workflows:write');
  const canPromote = useCan('workflows:promote');
  const canTrigger = useCan('workflows:trigger');
  const [open, setOpen] = useState<Open>(null);
  const close = (next: boolean) => {
    if (!next) setOpen(null);
  };
  const disable = useWrite((api) => api.workflows.disable(workflow.key), {
    changes: [['workflows']],
    done: actions.disabled,
    onDone: () => setOpen(null),
  });
  const isActive = workflow.status === 'active';
  return (
    <>
      {canTrigger && kind === 'test' && (
        <Button icon="play" disabled={!isActive} onClick={() => setOpen('trigger')}>
          {actions.trigger}
        </Button>
      )}
      {(canWrite || canTrigger) && (
        <Menu
          trigger={<IconButton label={common.more} icon="more" variant="secondary" />}
          items={[
            canTrigger && {
              label: actions.event,
              icon: 'notifications',
              onSelect: () => setOpen('event'),
            },
            canTrigger &&
              kind === 'live' && {
                label: actions.trigger,
                icon: 'play',
                disabled: !isActive,
                onSelect: () => setOpen('trigger'),
              },
            canPromote &&
              kind === 'test' && {
                label: promote.open,
                icon: 'external',
                disabled: workflow.active_version === null,
                onSelect: () => setOpen('promote'),
              },
            canWrite && { label: actions.rename, icon: 'edit', onSelect: () => setOpen('details') },
            canWrite && isActive && null,
            canWrite &&
              isActive && {
                label: actions.disable,
                icon: 'stop',
                danger: true,
                onSelect: () => setOpen('disable'),
              },
          ]}
        />
      )}
      {open === 'trigger' && <TriggerDialog workflow={workflow} onOpenChange={close} />}
      {open === 'event' && <EventDialog workflow={workflow} onOpenChange={close} />}
      {open === 'promote' && <PromoteDialog workflow={workflow} onOpenChange={close} />}
      {open === 'details' && <DetailsDialog workflow={workflow} onOpenChange={close} />}
      <ConfirmDialog
        open={open === 'disable'}
        onClose={() => setOpen(null)}
        title={actions.disableTitle}
        confirm={actions.disableConfirm}
        busy={disable.isPending}
        onConfirm={() => disable.mutate()}
      >
        {actions.disableText}
      </ConfirmDialog>
    </>
  );
}
