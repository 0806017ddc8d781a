import { parts } from '../../../strings/parts.ts';
import { CreatePart } from './create-part.tsx';
import { PartsPage } from './parts-page.tsx';

export default function PartialsPage() {
  return (
    <PartsPage
      path="partials"
      list={(api) => api.partials.list}
      create={
        <CreatePart
          path="partials"
          create={async (api, key, options) =>
            (await api.partials.put(key, { template: parts.partials.starter }, options)).key
          }
        />
      }
    />
  );
}
