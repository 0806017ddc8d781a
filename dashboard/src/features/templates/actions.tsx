import type { Template } from '@carillon/sdk';
import { useState } from 'react';
import { useCan, useEnvironment } from '../../api/environment.tsx';
import type { Channel } from '../../strings/common.ts';
import { templates as text } from '../../strings/templates.ts';
import { Button, ConfirmDialog, IconButton, Menu } from '../../ui/index.ts';
import { type Content, canSave } from './content.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { PromoteDialog } from './promote-dialog.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import type { Sample } from './sample.ts';
import { SendDialog } from './send-dialog.tsx';
import type { Draft } from './use-draft.ts';

type Question = 'send' | 'promote' | 'rename' | 'delete' | 'discard';

/** The actions of the whole template. */
export function Actions(props: {
  template: Template;
  draft: Draft;
  sample: Sample;
  /** The selected channel. */
  channel: Channel | undefined;
  isSaving: boolean;
  onSave(): void;
  onEdit(change: (content: Content) => Content): void;
}) {
  const { template, draft, sample, channel, isSaving, onSave, onEdit } = props;
  const { kind } = useEnvironment();
  const canWrite = useCan('templates:write');
  const canPromote = useCan('templates:promote');
  const canSend = useCan('notifications:send');
  const [question, setQuestion] = useState<Question | null>(null);
  const close = () => setQuestion(null);
  return (
    <>
      {canSend && template.bodies.length > 0 && (
        <Button icon="send" onClick={() => setQuestion('send')}>
          {text.sendTest}
        </Button>
      )}
      {canPromote && kind === 'test' && (
        <Button
          icon="up"
          disabled={draft.isDirty}
          title={draft.isDirty ? text.saveFirst : undefined}
          onClick={() => setQuestion('promote')}
        >
          {text.promote}
        </Button>
      )}
      {canWrite && (
        <>
          <Button
            variant="primary"
            busy={isSaving}
            disabled={!draft.isDirty || !canSave(draft.content)}
            title={text.saveHint}
            onClick={onSave}
          >
            {text.save}
          </Button>
          <Menu
            trigger={<IconButton label={text.menu} icon="more" variant="secondary" />}
            items={[
              { label: text.rename, icon: 'edit', onSelect: () => setQuestion('rename') },
              {
                label: text.discard,
                icon: 'retry',
                disabled: !draft.isDirty,
                onSelect: () => setQuestion('discard'),
              },
              null,
              { label: text.delete, icon: 'trash', danger: true, onSelect: () => setQuestion('delete') },
            ]}
          />
        </>
      )}
      {question === 'send' && (
        <SendDialog
          template={template}
          sample={sample}
          channel={channel}
          isDirty={draft.isDirty}
          onClose={close}
        />
      )}
      {question === 'promote' && <PromoteDialog template={template} onClose={close} />}
      {question === 'rename' && (
        <RenameDialog
          name={draft.content.name}
          onRename={(name) => onEdit((content) => ({ ...content, name }))}
          onClose={close}
        />
      )}
      {question === 'delete' && (
        <DeleteDialog template={template} onDeleted={draft.discard} onClose={close} />
      )}
      <ConfirmDialog
        open={question === 'discard'}
        onClose={close}
        title={text.discardTitle}
        confirm={text.discard}
        onConfirm={() => {
          draft.discard();
          close();
        }}
      >
        {text.discardText}
      </ConfirmDialog>
    </>
  );
}
