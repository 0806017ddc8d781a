import type { ReactNode } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { preferences } from '../../strings/preferences.ts';
import { Page, TabLink, TabLinks } from '../../ui/index.ts';

const tabs = [
  ['', preferences.tabs.categories],
  ['/users', preferences.tabs.users],
] as const;

/** The tabs of categories and users. */
export function PreferencesLayout(props: {
  title: string;
  description: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const { kind } = useEnvironment();
  const { children, ...page } = props;
  return (
    <Page {...page}>
      <TabLinks label={preferences.sections}>
        {tabs.map(([path, name]) => (
          <TabLink
            key={path}
            to={`/${kind}/preferences${path}`}
            activeOptions={{ exact: true, includeSearch: false }}
          >
            {name}
          </TabLink>
        ))}
      </TabLinks>
      {children}
    </Page>
  );
}
