import type { SendRequest } from '@carillon/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { type Channel, channelNames, common } from '../../strings/common.ts';
import { notifications } from '../../strings/notifications.ts';
import { magicRecipients } from '../../strings/sandbox.ts';
import { Field, FormDialog, InboxFields, Input, isInboxWrong, Select } from '../../ui/index.ts';
import { type Draft, firstDraft, parseData, requestOf, samples, templateOnly } from './draft.ts';
import { TestContent } from './send-test-content.tsx';

const text = notifications.send;

/** Test only. The draft survives closing the dialog by mistake. */
export function SendTest(props: { open: boolean; onOpenChange(open: boolean): Promise<void> }) {
  const { open, onOpenChange } = props;
  const { kind } = useEnvironment();
  const navigate = useNavigate();
  const [draft, setDraft] = useState(firstDraft);
  const change = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes });
  const data = parseData(draft.data);
  const send = useWrite((api, request: SendRequest) => api.notifications.send(request), {
    changes: [['notifications']],
    done: text.sent,
    quiet: true,
    // Back leads to the list, not to this dialog again.
    onDone: async ({ id }) => {
      await onOpenChange(false);
      await navigate({ to: `/${kind}/notifications/${id}` });
    },
  });
  const isInApp = draft.channel === 'in_app';
  const isTemplate = draft.usesTemplate || templateOnly.includes(draft.channel);
  return (
    <FormDialog
      open={open}
      onClose={() => onOpenChange(false)}
      title={text.title}
      description={text.description}
      invalid={(isTemplate && data === null) || (isInApp && isInboxWrong(draft.inbox))}
      onSubmit={() => send.mutate(requestOf(draft, isTemplate, data ?? {}))}
      submit={text.submit}
      busy={send.isPending}
      error={send.error}
      icon="send"
    >
      <Field label={text.channel} name="channel">
        <Select
          value={draft.channel}
          onChange={(event) => {
            const channel = event.target.value as Channel;
            change({ channel, recipient: samples[channel] });
          }}
        >
          {channelNames.map((channel) => (
            <option key={channel} value={channel}>
              {common.channel(channel)}
            </option>
          ))}
        </Select>
      </Field>
      <RecipientFields draft={draft} onChange={change} />
      <TestContent
        draft={draft}
        isTemplate={isTemplate}
        onChange={change}
        dataError={data === null ? text.badData : null}
      />
      {isInApp && <InboxFields draft={draft.inbox} onChange={(inbox) => change({ inbox })} />}
    </FormDialog>
  );
}

function RecipientFields(props: { draft: Draft; onChange(changes: Partial<Draft>): void }) {
  const { draft, onChange } = props;
  const { channel, recipient } = draft;
  const magic = channel === 'email' || channel === 'sms' ? magicRecipients[channel] : [];
  const isMagic = magic.some(({ address }) => address === recipient);
  return (
    <>
      {magic.length > 0 && (
        <Field label={text.outcome} hint={text.outcomeHint}>
          <Select
            value={isMagic ? recipient : ''}
            onChange={(event) => onChange({ recipient: event.target.value })}
          >
            {magic.map(({ address, meaning }) => (
              <option key={address} value={address}>
                {meaning}
              </option>
            ))}
            <option value="">{text.ownAddress}</option>
          </Select>
        </Field>
      )}
      <Field
        label={text.recipients[channel] ?? ''}
        hint={templateOnly.includes(channel) ? text.chatHint : undefined}
        name="recipient"
      >
        <Input
          value={recipient}
          maxLength={2048}
          onChange={(event) => onChange({ recipient: event.target.value })}
        />
      </Field>
    </>
  );
}
