import type { Brand } from '@carillon/sdk';
import { useState } from 'react';
import { useRead, useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { brand as text } from '../../strings/preferences.ts';
import { Button, Card, Field, FormDialog, Input, Loaded, Pairs, Stack } from '../../ui/index.ts';
import styles from './preferences.module.css';

const colorPattern = /^#[0-9a-f]{6}$/i;

/** How the hosted pages look to recipients. */
export function BrandCard({ mayWrite }: { mayWrite: boolean }) {
  const [isEditing, setEditing] = useState(false);
  const query = useRead(['brand'], (api, signal) => api.preferences.getBrand({ signal }));
  return (
    <Card
      title={text.title}
      actions={
        mayWrite &&
        query.data && (
          <Button size="small" icon="edit" onClick={() => setEditing(true)}>
            {common.edit}
          </Button>
        )
      }
    >
      <Loaded query={query} lines={3}>
        {({ name, logo_url, accent_color }) => (
          <Stack>
            <p className={styles.small}>{text.description}</p>
            <Pairs
              pairs={[
                [text.name, name ?? text.none],
                [text.logo, logo_url ?? text.none],
                [text.color, accent_color ?? text.standard],
              ]}
            />
          </Stack>
        )}
      </Loaded>
      {isEditing && query.data && <BrandDialog before={query.data} onClose={() => setEditing(false)} />}
    </Card>
  );
}

function BrandDialog({ before, onClose }: { before: Brand; onClose(): void }) {
  const [name, setName] = useState(before.name ?? '');
  const [logoUrl, setLogoUrl] = useState(before.logo_url ?? '');
  const [color, setColor] = useState(before.accent_color ?? '');
  const save = useWrite(
    (api) =>
      api.preferences.replaceBrand({
        name: name.trim() || null,
        logo_url: logoUrl.trim() || null,
        accent_color: color.trim() || null,
      }),
    { changes: [['brand']], done: common.saved, quiet: true, onDone: onClose },
  );
  const colorProblem = color.trim() === '' || colorPattern.test(color.trim()) ? null : text.colorWrong;
  return (
    <FormDialog
      onClose={onClose}
      title={text.title}
      description={text.description}
      invalid={colorProblem !== null}
      onSubmit={() => save.mutate()}
      submit={common.save}
      busy={save.isPending}
      error={save.error}
    >
      <Field label={text.name} hint={text.nameHint} name="name">
        <Input value={name} maxLength={100} dir="auto" onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={text.logo} hint={text.logoHint} name="logo_url">
        <Input
          type="url"
          value={logoUrl}
          maxLength={2048}
          onChange={(event) => setLogoUrl(event.target.value)}
        />
      </Field>
      <Field label={text.color} hint={text.colorHint} name="accent_color" problem={colorProblem}>
        <Input mono value={color} maxLength={7} onChange={(event) => setColor(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
