import type { Template } from '@carillon/sdk';
import { useEffect, useRef, useState } from 'react';
import { useCan } from '../../api/environment.tsx';
import { useFilters } from '../../shell/filters.ts';
import { UnsavedGuard } from '../../shell/unsaved.tsx';
import { type Channel, common } from '../../strings/common.ts';
import { templates as text } from '../../strings/templates.ts';
import { Badge, ChannelLabel, Copyable, Icon, Notice, Page, Tabs } from '../../ui/index.ts';
import { Actions } from './actions.tsx';
import { AddChannel } from './add-channel.tsx';
import { BodyPanel } from './body-panel.tsx';
import { contentChanges } from './changes.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import {
  type Body,
  type BodyLocation,
  type Content,
  channelsOf,
  contentOf,
  findBody,
  withBody,
} from './content.ts';
import { DraftNotices } from './draft-notices.tsx';
import type { BodyProblem } from './problem.ts';
import { useSample } from './sample.ts';
import { starterBody } from './starters.ts';
import { useDraft } from './use-draft.ts';
import { useSave } from './use-save.ts';
import { Versions } from './versions.tsx';

interface WorkbenchProps {
  template: Template;
  trail: { label: string; to: string }[];
}

/** The editor of a template: its channels, languages and versions. */
export function Workbench({ template, trail }: WorkbenchProps) {
  const canWrite = useCan('templates:write');
  const filters = useFilters('tab', 'locale', 'version');
  const draft = useDraft(template);
  const sample = useSample(template.key);
  const save = useSave(template.key, draft);
  const [target, setTarget] = useState<BodyProblem | null>(null);
  useSaveKey(() => canWrite && draft.isDirty && save.run());

  const channels = channelsOf(draft.content);
  const tab = chosenTab(filters.values.tab, channels);
  const show = (place: BodyLocation) =>
    filters.set({ tab: place.channel, locale: place.locale ?? '', version: '' });
  const edit = (change: (content: Content) => Content) => {
    save.forget();
    draft.edit(change);
  };
  const add = (channel: Channel) => {
    edit((content) => withBody(content, starterBody(channel)));
    show({ channel, locale: null });
  };
  const bodyIn = (channel: Channel): Body | undefined =>
    findBody(draft.content, { channel, locale: filters.values.locale || null }) ??
    findBody(draft.content, { channel, locale: null });

  return (
    <Page
      full
      title={draft.content.name}
      trail={trail}
      aside={
        <>
          <Badge>{text.version(draft.version)}</Badge>
          {draft.isDirty && (
            <Badge tone="amber" shape="hollow">
              {text.unsaved}
            </Badge>
          )}
        </>
      }
      description={<Copyable text={template.key} />}
      actions={
        <Actions
          template={template}
          draft={draft}
          sample={sample}
          channel={channels.find((each) => each === tab) ?? channels[0]}
          isSaving={save.isPending}
          onSave={save.run}
          onEdit={edit}
        />
      }
    >
      {!canWrite && <Notice>{common.viewerOnly}</Notice>}
      <DraftNotices
        draft={draft}
        save={save}
        onGoTo={(place, problem) => {
          show(place);
          setTarget(problem);
        }}
      />
      <Tabs
        label={text.tabs}
        value={tab}
        onChange={(value) => filters.set({ tab: value, locale: '', version: '' })}
        tabs={[
          ...channels.map((channel) => {
            const body = bodyIn(channel);
            return {
              value: channel,
              label: <ChannelLabel channel={channel} />,
              content: body && (
                <BodyPanel
                  content={draft.content}
                  body={body}
                  sample={sample}
                  readOnly={!canWrite}
                  saveProblem={save.problemAt(body)}
                  target={target}
                  onTargetShown={() => setTarget(null)}
                  onEdit={edit}
                  onPlace={show}
                />
              ),
            };
          }),
          ...(canWrite
            ? [
                {
                  value: 'add',
                  label: <Labelled icon="plus" label={text.addTab} />,
                  content: <AddChannel channels={channels} onAdd={add} />,
                },
              ]
            : []),
          {
            value: 'history',
            label: <Labelled icon="clock" label={text.history} />,
            content: (
              <Versions
                current={template}
                resource={(api) => api.templates}
                compare={(former) => contentChanges(contentOf(former), contentOf(template))}
                isDirty={draft.isDirty}
                changes={[['templates'], ['template', template.key]]}
                onRestored={draft.rebase}
              />
            ),
          },
        ]}
      />
      {save.conflict && <ConflictDialog theirs={save.conflict} draft={draft} save={save} />}
      <UnsavedGuard when={draft.isDirty} />
    </Page>
  );
}

function Labelled({ icon, label }: { icon: 'plus' | 'clock'; label: string }) {
  return (
    <>
      <Icon name={icon} size={15} />
      {label}
    </>
  );
}

function chosenTab(asked: string, channels: Channel[]): string {
  if (asked === 'history' || asked === 'add' || channels.some((each) => each === asked)) return asked;
  return channels[0] ?? 'add';
}

/** Ctrl-S saves, regardless of the focus. */
function useSaveKey(save: () => void): void {
  const latest = useRef(save);
  useEffect(() => {
    latest.current = save;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}
