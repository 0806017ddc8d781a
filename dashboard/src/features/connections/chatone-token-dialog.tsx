import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { errorOf, useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { chatone } from '../../strings/connections.ts';
import { Button, Dialog, Field, FormError, Input } from '../../ui/index.ts';

const text = chatone.token;

export function TokenDialog({ onClose }: { onClose(): void }) {
  const { kind } = useEnvironment();
  const [token, setToken] = useState('');
  const [wasTried, setTried] = useState(false);
  const connect = useWrite((api) => api.chatone.create({ bot_token: token.trim() }), {
    changes: [['chatone'], ['overview']],
    done: (made) => text.done(made.team_name),
    quiet: true,
    onDone: onClose,
  });
  const isMissing = token.trim() === '';
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={text.title}
      description={text.hint}
      onSubmit={() => {
        setTried(true);
        if (!isMissing) connect.mutate();
      }}
      foot={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" busy={connect.isPending}>
            {text.submit}
          </Button>
        </>
      }
    >
      <FormError error={connect.error} besides={['bot_token']} />
      <Field
        label={text.label}
        hint={kind === 'test' ? text.labelHintTest : text.labelHint}
        error={errorOf(connect.error, 'bot_token') ?? (wasTried && isMissing ? text.needed : null)}
      >
        <Input
          mono
          type="password"
          autoComplete="new-password"
          maxLength={500}
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
      </Field>
    </Dialog>
  );
}
