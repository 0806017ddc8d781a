import { useParams } from '@tanstack/react-router';
import { useEnvironment } from '../../api/environment.tsx';
import { useRead } from '../../api/queries.ts';
import { templates as text } from '../../strings/templates.ts';
import { Loaded, Page } from '../../ui/index.ts';
import { Workbench } from './workbench.tsx';

export default function TemplatesPage() {
  const { key = '' } = useParams({ strict: false }) as { key?: string };
  const { kind } = useEnvironment();
  const query = useRead(['template', key], (api, signal) => api.templates.get(key, { signal }));
  const trail = [{ label: text.title, to: `/${kind}/templates` }];
  if (query.data) return <Workbench key={query.data.id} template={query.data} trail={trail} />;
  return (
    <Page title={key} trail={trail}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  );
}
