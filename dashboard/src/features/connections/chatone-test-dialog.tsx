import type { ChatoneInstallation } from '@carillon/sdk';
import { useState } from 'react';
import { errorOf, useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { chatone, testSend } from '../../strings/connections.ts';
import { Button, Dialog, Field, FormError, Input } from '../../ui/index.ts';
import { TestOutcome } from './test-outcome.tsx';

const text = chatone.test;

export function ChatoneTestDialog(props: { installation: ChatoneInstallation; onClose(): void }) {
  const { installation, onClose } = props;
  const [user, setUser] = useState('');
  const [channel, setChannel] = useState('');
  const [wasTried, setTried] = useState(false);
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
    <Dialog
      open
      onOpenChange={onClose}
      title={text.title(installation.team_name)}
      description={text.hint}
      onSubmit={() => {
        setTried(true);
        if (!isMissing) send.mutate();
      }}
      foot={
        <>
          <Button onClick={onClose}>{common.close}</Button>
          <Button type="submit" variant="primary" icon="send" busy={send.isPending}>
            {id ? testSend.again : text.submit}
          </Button>
        </>
      }
    >
      <FormError error={send.error} besides={['chatone_user_id', 'chatone_channel_id']} />
      <Field
        label={text.user}
        hint={text.userHint}
        error={errorOf(send.error, 'chatone_user_id') ?? (wasTried && isMissing ? text.needed : null)}
      >
        <Input mono value={user} maxLength={255} onChange={(event) => setUser(event.target.value)} />
      </Field>
      <Field label={text.channel} hint={text.channelHint} error={errorOf(send.error, 'chatone_channel_id')}>
        <Input mono value={channel} maxLength={255} onChange={(event) => setChannel(event.target.value)} />
      </Field>
      {id && <TestOutcome key={id} notificationId={id} />}
    </Dialog>
  );
}
