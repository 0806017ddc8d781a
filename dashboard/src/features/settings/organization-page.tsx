import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Organization, useEnvironment } from '../../api/environment.tsx';
import { errorOf, useWrite } from '../../api/queries.ts';
import { useFilters } from '../../shell/filters.ts';
import { chooseOrganization } from '../../shell/organization.ts';
import { common } from '../../strings/common.ts';
import { settings, team, organization as text } from '../../strings/settings.ts';
import {
  Badge,
  Button,
  Card,
  Copyable,
  Field,
  Form,
  FormError,
  Input,
  Pairs,
  Table,
  Time,
} from '../../ui/index.ts';
import { SettingsLayout } from './layout.tsx';
import { grantable } from './members.ts';
import { NewOrganizationDialog } from './new-organization-dialog.tsx';
import styles from './settings.module.css';

export default function OrganizationPage() {
  const { organization } = useEnvironment();
  // The dialog is in the URL, because the organization menu links to it.
  const { values, set } = useFilters('new');
  return (
    <SettingsLayout title={settings.tabs.organization} description={text.description}>
      <Card title={<h2 dir="auto">{organization.name}</h2>}>
        <Pairs
          pairs={[
            [text.id, <Copyable key="id" text={organization.id} />],
            [text.yourRole, team.roles[organization.role]],
          ]}
        />
        {grantable[organization.role].length > 0 ? (
          <Rename key={`${organization.id} ${organization.name}`} organization={organization} />
        ) : (
          <p className={styles.muted}>{text.adminsRename}</p>
        )}
      </Card>
      <Environments organization={organization} />
      <Organizations onCreate={() => set({ new: 'yes' })} />
      {values.new !== '' && <NewOrganizationDialog onClose={() => set({ new: '' })} />}
    </SettingsLayout>
  );
}

function Rename({ organization }: { organization: Organization }) {
  const queries = useQueryClient();
  const [name, setName] = useState(organization.name);
  const rename = useWrite((api) => api.team.updateOrganization(organization.id, { name: name.trim() }), {
    changes: [['audit']],
    done: text.renamed,
    quiet: true,
    onDone: () => void queries.invalidateQueries({ queryKey: ['person'] }),
  });
  const isSame = name.trim() === organization.name;
  return (
    <Form className={styles.form} onSubmit={() => !isSame && name.trim() !== '' && rename.mutate()}>
      <FormError error={rename.error} besides={['name']} />
      <Field
        label={text.name}
        error={errorOf(rename.error, 'name') ?? (name.trim() === '' ? text.nameNeeded : null)}
      >
        <Input dir="auto" value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Button type="submit" busy={rename.isPending} disabled={isSame || name.trim() === ''}>
        {text.rename}
      </Button>
    </Form>
  );
}

function Environments({ organization }: { organization: Organization }) {
  return (
    <Card title={text.environments} flush>
      <Table
        label={text.environments}
        rows={organization.environments}
        rowKey={({ id }) => id}
        columns={[
          { header: text.environment, cell: ({ name }) => <span className={styles.strong}>{name}</span> },
          {
            header: text.kind,
            cell: ({ kind }) => <Badge tone={kind === 'live' ? 'live' : 'grey'}>{common[kind]}</Badge>,
          },
          { header: text.environmentId, cell: ({ id }) => <Copyable text={id} /> },
          { header: text.created, cell: (each) => <Time at={each.created_at} /> },
        ]}
      />
      <p className={styles.foot}>{text.environmentsText}</p>
    </Card>
  );
}

function Organizations({ onCreate }: { onCreate(): void }) {
  const { person, organization, kind } = useEnvironment();
  const navigate = useNavigate();
  const open = (id: string) => {
    chooseOrganization(id);
    void navigate({ to: `/${kind}/overview` });
  };
  return (
    <Card
      title={text.yours}
      flush
      actions={
        person.may_create_organizations && (
          <Button size="small" icon="plus" onClick={onCreate}>
            {text.create}
          </Button>
        )
      }
    >
      <Table
        label={text.yours}
        rows={person.organizations}
        rowKey={({ id }) => id}
        columns={[
          { header: text.name, cell: ({ name }) => <bdi className={styles.strong}>{name}</bdi> },
          { header: text.yourRole, cell: ({ role }) => team.roles[role] },
          {
            header: common.actions,
            hideHeader: true,
            end: true,
            cell: ({ id, name }) =>
              id === organization.id ? (
                <Badge tone="blue">{text.current}</Badge>
              ) : (
                <Button size="small" aria-label={text.openNamed(name)} onClick={() => open(id)}>
                  {text.open}
                </Button>
              ),
          },
        ]}
      />
    </Card>
  );
}
