import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { errorOf, useWrite } from '../../api/queries.ts';
import { profile } from '../../strings/settings.ts';
import { Button, Card, Checkbox, Field, Form, FormError, Input } from '../../ui/index.ts';
import { strengthOf } from './password-strength.ts';
import styles from './settings.module.css';

export function PasswordCard() {
  const { person } = useEnvironment();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [isShown, setShown] = useState(false);
  const change = useWrite(
    (api) => api.sessions.changePassword({ current_password: current, new_password: next }),
    {
      changes: [['sessions'], ['audit']],
      done: profile.changed,
      quiet: true,
      onDone: () => {
        setCurrent('');
        setNext('');
      },
    },
  );
  const strength = strengthOf(next, [person.name, person.email.split('@')[0] ?? '']);
  const isReady = current !== '' && strength.isEnough;
  const type = isShown ? 'text' : 'password';
  return (
    <Card title={profile.password}>
      <Form className={styles.form} onSubmit={() => isReady && change.mutate()}>
        {/* Password managers need the username. */}
        <input type="hidden" autoComplete="username" value={person.email} readOnly />
        <FormError error={change.error} besides={['current_password', 'new_password']} />
        <Field label={profile.current} error={errorOf(change.error, 'current_password')}>
          <Input
            type={type}
            autoComplete="current-password"
            value={current}
            maxLength={200}
            onChange={(event) => setCurrent(event.target.value)}
          />
        </Field>
        <Field
          label={profile.next}
          hint={<span aria-live="polite">{strength.text}</span>}
          error={errorOf(change.error, 'new_password')}
        >
          <Input
            type={type}
            autoComplete="new-password"
            value={next}
            maxLength={200}
            onChange={(event) => setNext(event.target.value)}
          />
        </Field>
        <Checkbox
          label={profile.show}
          checked={isShown}
          onChange={(event) => setShown(event.target.checked)}
        />
        <p className={styles.small}>{profile.endsOthers}</p>
        <Button type="submit" busy={change.isPending} disabled={!isReady}>
          {profile.change}
        </Button>
      </Form>
    </Card>
  );
}
