import { NotFoundError, type Template } from '@carillon/sdk';
import { createApi } from '../../api/client.ts';
import { useEnvironment } from '../../api/environment.tsx';
import { useRead, useWrite } from '../../api/queries.ts';
import { templates } from '../../strings/templates.ts';
import { FormDialog, Loaded, Notice } from '../../ui/index.ts';
import { Changes, contentChanges } from './changes.tsx';
import { type Content, contentOf } from './content.ts';

const text = templates.promotion;
const nothing: Content = contentOf({ name: '', bodies: [], push: null });

/** Shows the difference between Live and Test, then promotes. */
export function PromoteDialog({ template, onClose }: { template: Template; onClose(): void }) {
  const { organization } = useEnvironment();
  const liveId = organization.environments.find(({ kind }) => kind === 'live')?.id ?? null;
  const plan = useRead(['template-promotion', template.key, template.version], async (api, signal) => {
    const [{ status }, live] = await Promise.all([
      api.templates.promote(template.key, { dry_run: true }, { signal }),
      findIn(liveId, template.key, signal),
    ]);
    return { status, live };
  });
  const promote = useWrite((api) => api.templates.promote(template.key), {
    quiet: true,
    changes: [['template-promotion', template.key]],
    done: text.done,
    onDone: onClose,
  });
  const canPromote = plan.data !== undefined && plan.data.status !== 'identical';
  return (
    <FormDialog
      wide
      onClose={onClose}
      title={text.title}
      description={text.description}
      onSubmit={() => promote.mutate()}
      submit={text.confirm}
      busy={promote.isPending}
      disabled={!canPromote}
      error={promote.error}
    >
      <Loaded query={plan}>
        {({ status, live }) => (
          <>
            {status === 'new' && <Notice>{text.new}</Notice>}
            {status === 'identical' ? (
              <Notice tone="green">{text.identical}</Notice>
            ) : (
              <Changes
                changes={contentChanges(live ? contentOf(live) : nothing, contentOf(template))}
                names={{ before: text.live, after: text.test }}
              />
            )}
          </>
        )}
      </Loaded>
    </FormDialog>
  );
}

async function findIn(
  environmentId: string | null,
  key: string,
  signal: AbortSignal,
): Promise<Template | null> {
  try {
    return await createApi(environmentId).templates.get(key, { signal });
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
