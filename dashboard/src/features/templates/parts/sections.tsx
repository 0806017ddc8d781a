import type { ReactNode } from 'react';
import { useEnvironment } from '../../../api/environment.tsx';
import { parts as text } from '../../../strings/parts.ts';
import { Page, TabLink, TabLinks } from '../../../ui/index.ts';

/** The paths of the lists, below that of the environment. */
export type PartPath = 'layouts' | 'partials' | 'translations';

const tabs = Object.entries(text.tabs);

/** The links between templates, layouts, partials and translations. */
export function PartSections() {
  const { kind } = useEnvironment();
  return (
    <TabLinks label={text.sections}>
      {tabs.map(([path, name]) => (
        <TabLink key={path} to={`/${kind}/${path}`} activeOptions={{ exact: true, includeSearch: false }}>
          {name}
        </TabLink>
      ))}
    </TabLinks>
  );
}

export function PartsLayout(props: {
  title: string;
  description: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const { children, ...page } = props;
  return (
    <Page {...page}>
      <PartSections />
      {children}
    </Page>
  );
}
