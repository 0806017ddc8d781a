import type { Workflow } from '@carillon/sdk';
import type { ReactNode } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { workflows } from '../../strings/workflows.ts';
import { Badge, Loaded, Page, StatusBadge, TabLink, TabLinks } from '../../ui/index.ts';
import { WorkflowActions } from './actions.tsx';

const { tabs, list } = workflows;
export type WorkflowTab = 'build' | 'simulate' | 'versions' | 'runs';

/** The header and the tabs of every page about one workflow. */
export function WorkflowLayout(props: {
  workflow: Workflow;
  tab: WorkflowTab;
  /** Shown before the common actions. */
  actions?: ReactNode;
  children: ReactNode;
}) {
  const { workflow, tab, actions, children } = props;
  const { kind } = useEnvironment();
  const base = `/${kind}/workflows/${encodeURIComponent(workflow.key)}`;
  const links: [WorkflowTab, string, Record<string, string>][] = [
    ['build', base, {}],
    ['simulate', base, { tab: 'simulate' }],
    ['versions', base, { tab: 'versions' }],
    ['runs', `${base}/runs`, {}],
  ];
  return (
    <Page
      full
      title={workflow.name}
      trail={[{ label: list.title, to: `/${kind}/workflows` }]}
      aside={
        <>
          <StatusBadge status={workflow.status} />
          {workflow.active_version !== null && <Badge>{list.versionValue(workflow.active_version)}</Badge>}
          <code>{workflow.key}</code>
        </>
      }
      description={workflow.description ?? undefined}
      actions={
        <>
          {actions}
          <WorkflowActions workflow={workflow} />
        </>
      }
    >
      <TabLinks label={tabs.label}>
        {links.map(([name, to, search]) => (
          <TabLink
            key={name}
            to={to}
            search={search}
            activeOptions={{ exact: true }}
            aria-current={name === tab ? 'page' : undefined}
          >
            {tabs[name]}
          </TabLink>
        ))}
      </TabLinks>
      {children}
    </Page>
  );
}

/** The page while its workflow loads or when it does not exist, with a way back. */
export function WorkflowWaiting(props: { name: string; query: Parameters<typeof Loaded>[0]['query'] }) {
  const { kind } = useEnvironment();
  return (
    <Page full title={props.name} trail={[{ label: list.title, to: `/${kind}/workflows` }]}>
      <Loaded query={props.query}>{() => null}</Loaded>
    </Page>
  );
}
