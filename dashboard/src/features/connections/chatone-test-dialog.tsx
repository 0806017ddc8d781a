import type { ChatoneInstallation } from '@carillon/sdk';
import { useState } from 'react';
import { useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { chatone, testSend } from '../../strings/connections.ts';
import { Field, FormDialog, Input } from '../../ui/index.ts';
import { TestOutcome } from './test-outcome.tsx';

const text = chatone.test;

export function ChatoneTestDialog(props: { installation: ChatoneInstallation; onClose(): void }) {
  const { installation, onClose } = props;
  const [user, setUser] = useState('');
  const [channel, setChannel] = useState('');
  const send = useWrite(
    (api) =>
      api.chatone.sendTest(installation.id, {
        chatone_user_id: user.trim() || null,
        chatone_channel_id: channel.trim() || null,
      }),
    { changes: [['chatone']], quiet: true },
  );
  const isMissing = user.trim() === '' && channel.trim() === '';
  const id = send.data?.notification_id;
  return (
    <FormDialog
      onClose={onClose}
      cancel={common.close}
      icon="send"
      submit={id ? testSend.again : text.submit}
      busy={send.isPending}
      error={send.error}
      invalid={isMissing}
      title={text.title(installation.team_name)}
      description={text.hint}
      onSubmit={() => send.mutate()}
    >
      <Field label={text.user} hint={text.userHint} name="chatone_user_id" problem={isMissing && text.needed}>
        <Input mono value={user} maxLength={255} onChange={(event) => setUser(event.target.value)} />
      </Field>
      <Field label={text.channel} hint={text.channelHint} name="chatone_channel_id">
        <Input mono value={channel} maxLength={255} onChange={(event) => setChannel(event.target.value)} />
      </Field>
      {id && <TestOutcome key={id} notificationId={id} />}
    </FormDialog>
  );
}
