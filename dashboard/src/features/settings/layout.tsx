import { type ReactNode, useEffect, useRef } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { settings } from '../../strings/settings.ts';
import { Page, TabLink, TabLinks } from '../../ui/index.ts';

const tabs = [
  ['', settings.tabs.keys],
  ['/team', settings.tabs.team],
  ['/audit-log', settings.tabs.audit],
  ['/usage', settings.tabs.usage],
  ['/organization', settings.tabs.organization],
  ['/profile', settings.tabs.profile],
] as const;

/** The tabs of the settings pages. */
export function SettingsLayout(props: {
  title: string;
  description: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const { title, description, actions, children } = props;
  const { kind } = useEnvironment();
  const box = useRef<HTMLDivElement>(null);
  // The tabs are wider than a phone.
  useEffect(() => {
    box.current
      ?.querySelector('[aria-current="page"]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, []);
  return (
    <Page title={title} description={description} actions={actions}>
      <div ref={box}>
        <TabLinks label={settings.sections}>
          {tabs.map(([path, name]) => (
            <TabLink
              key={path}
              to={`/${kind}/settings${path}`}
              activeOptions={{ exact: true, includeSearch: false }}
            >
              {name}
            </TabLink>
          ))}
        </TabLinks>
      </div>
      {children}
    </Page>
  );
}
