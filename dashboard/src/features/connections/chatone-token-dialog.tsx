import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { chatone } from '../../strings/connections.ts';
import { Field, FormDialog, Input } from '../../ui/index.ts';

const text = chatone.token;

export function TokenDialog({ onClose }: { onClose(): void }) {
  const { kind } = useEnvironment();
  const [token, setToken] = useState('');
  const connect = useWrite((api) => api.chatone.create({ bot_token: token.trim() }), {
    changes: [['chatone'], ['overview']],
    done: (made) => text.done(made.team_name),
    quiet: true,
    onDone: onClose,
  });
  const isMissing = token.trim() === '';
  return (
    <FormDialog
      onClose={onClose}
      title={text.title}
      description={text.hint}
      invalid={isMissing}
      onSubmit={() => connect.mutate()}
      submit={text.submit}
      busy={connect.isPending}
      error={connect.error}
    >
      <Field
        label={text.label}
        hint={kind === 'test' ? text.labelHintTest : text.labelHint}
        name="bot_token"
        problem={isMissing && text.needed}
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
    </FormDialog>
  );
}
