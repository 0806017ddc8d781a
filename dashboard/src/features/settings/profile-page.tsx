import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { errorOf, useWrite } from '../../api/queries.ts';
import { setTheme, type Theme, useTheme } from '../../shell/theme.ts';
import { common } from '../../strings/common.ts';
import { profile, settings } from '../../strings/settings.ts';
import { shell } from '../../strings/shell.ts';
import { Button, Card, Columns, Field, Form, FormError, Input, Radio } from '../../ui/index.ts';
import { SettingsLayout } from './layout.tsx';
import { PasswordCard } from './password-card.tsx';
import { SessionsCard } from './sessions-card.tsx';
import styles from './settings.module.css';

export default function ProfilePage() {
  const { person } = useEnvironment();
  return (
    <SettingsLayout title={settings.tabs.profile} description={profile.description}>
      <Columns>
        <NameCard key={person.name} />
        <PasswordCard />
      </Columns>
      <SessionsCard />
      <AppearanceCard />
    </SettingsLayout>
  );
}

function NameCard() {
  const { person } = useEnvironment();
  const queries = useQueryClient();
  const [name, setName] = useState(person.name);
  const save = useWrite((api) => api.sessions.update({ name: name.trim() }), {
    changes: [['members'], ['audit']],
    done: common.saved,
    quiet: true,
    onDone: (changed) => queries.setQueryData(['person'], changed),
  });
  const isMissing = name.trim() === '';
  const isSame = name.trim() === person.name;
  return (
    <Card title={profile.you}>
      <Form className={styles.form} onSubmit={() => !isMissing && !isSame && save.mutate()}>
        <FormError error={save.error} besides={['name']} />
        <Field
          label={profile.name}
          error={errorOf(save.error, 'name') ?? (isMissing && !isSame ? profile.nameNeeded : null)}
        >
          <Input
            dir="auto"
            autoComplete="name"
            value={name}
            maxLength={100}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field label={profile.email} hint={profile.emailHint}>
          <Input type="email" value={person.email} readOnly />
        </Field>
        <Button type="submit" busy={save.isPending} disabled={isMissing || isSame}>
          {common.save}
        </Button>
      </Form>
    </Card>
  );
}

function AppearanceCard() {
  const theme = useTheme();
  return (
    <Card title={profile.appearance}>
      <fieldset className={styles.group}>
        <legend>{profile.appearanceHint}</legend>
        {(['system', 'light', 'dark'] as Theme[]).map((each) => (
          <Radio
            key={each}
            name="theme"
            label={shell.themes[each]}
            checked={theme === each}
            onChange={() => setTheme(each)}
          />
        ))}
      </fieldset>
    </Card>
  );
}
