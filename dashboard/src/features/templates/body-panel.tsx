import { useEffect, useMemo, useRef, useState } from 'react';
import type { EditorHandle } from '../../editor/index.ts';
import { ring } from '../../strings/ring.ts';
import { templates as text } from '../../strings/templates.ts';
import { Button, ConfirmDialog, RingFields } from '../../ui/index.ts';
import { BodyFieldEditor } from './body-field.tsx';
import { liquidCompletion } from './completion.ts';
import {
  type Body,
  type BodyField,
  type BodyLocation,
  type Content,
  fieldsOf,
  findBody,
  withBody,
  withoutBody,
} from './content.ts';
import { LanguageBar } from './language-bar.tsx';
import { LayoutChoice, PreviewLocale } from './parts/choices.tsx';
import { PreviewPane } from './preview-pane.tsx';
import { type BodyProblem, problemOf } from './problem.ts';
import type { Sample } from './sample.ts';
import { SampleEditor } from './sample-editor.tsx';
import styles from './templates.module.css';
import { usePreview } from './use-preview.ts';

interface BodyPanelProps {
  content: Content;
  body: Body;
  sample: Sample;
  readOnly: boolean;
  /** The error of the last save about this body. */
  saveProblem: BodyProblem | null;
  /** The problem to show, with the cursor on it. */
  target: BodyProblem | null;
  onTargetShown(): void;
  onEdit(change: (content: Content) => Content): void;
  onPlace(place: BodyLocation): void;
}

/** The body of one channel in one language: the editor on the left, the preview on the right. */
export function BodyPanel(props: BodyPanelProps) {
  const { content, body, sample, readOnly, saveProblem, target, onTargetShown, onEdit, onPlace } = props;
  const place: BodyLocation = body;
  const [locale, setLocale] = useState<string | null>(null);
  // A locale takes the layout of its channel, which the preview of one body does not know.
  const layout = body.layout ?? findBody(content, { ...place, locale: null })?.layout ?? null;
  const wrapped = useMemo(() => (layout === body.layout ? body : { ...body, layout }), [body, layout]);
  const preview = usePreview(wrapped, sample.data, locale);
  const problem = problemOf(preview.error) ?? saveProblem;
  const editors = useRef(new Map<BodyField, EditorHandle>());
  const complete = useCompletion(sample, preview.good?.variables);
  const reveal = ({ field, line, column }: BodyProblem) =>
    editors.current.get(field ?? fieldsOf(body)[0] ?? 'text_template')?.reveal(line ?? 1, column);

  useEffect(() => {
    if (!target) return;
    reveal(target);
    onTargetShown();
  });

  const change = (field: BodyField, value: string) =>
    onEdit((former) => withBody(former, { ...(findBody(former, place) ?? body), [field]: value } as Body));

  return (
    <div className={styles.workbench}>
      <div className={styles.write}>
        <div className={styles.bar}>
          <LanguageBar
            content={content}
            place={place}
            readOnly={readOnly}
            onPlace={onPlace}
            onAdd={(locale) => {
              onEdit((former) => withBody(former, { ...body, locale }));
              onPlace({ channel: body.channel, locale });
            }}
          />
          {!readOnly && (
            <RemoveBody
              place={place}
              onRemove={() => {
                onEdit((former) => withoutBody(former, place));
                onPlace({ channel: body.channel, locale: null });
              }}
            />
          )}
        </div>
        <LayoutChoice
          body={body}
          readOnly={readOnly}
          onChange={(layout) =>
            onEdit((former) => withBody(former, { ...(findBody(former, place) ?? body), layout }))
          }
        />
        {body.channel === 'in_app' && (
          <RingFields
            name="push"
            inherit={ring.asCategory}
            hint={ring.templateHint}
            draft={content.push}
            disabled={readOnly}
            onChange={(push) => onEdit((former) => ({ ...former, push }))}
          />
        )}
        {fieldsOf(body).map((field) => (
          <BodyFieldEditor
            key={`${place.channel} ${place.locale} ${field}`}
            place={place}
            field={field}
            value={body[field]}
            readOnly={readOnly}
            complete={complete}
            problem={problem?.field === field ? problem : null}
            register={editors.current}
            onChange={(value) => change(field, value)}
          />
        ))}
      </div>
      <div className={styles.look}>
        <PreviewLocale value={locale} onChange={setLocale} />
        <PreviewPane body={body} preview={preview} sample={sample} onReveal={reveal} />
        <SampleEditor sample={sample} />
      </div>
    </div>
  );
}

function RemoveBody({ place, onRemove }: { place: BodyLocation; onRemove(): void }) {
  const [isAsking, setAsking] = useState(false);
  const { channel, locale } = place;
  const label = locale ? text.removeLanguage(locale) : text.removeChannel(channel);
  return (
    <>
      <Button size="small" variant="ghost" icon="trash" onClick={() => setAsking(true)}>
        {label}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={locale ? text.removeLanguageTitle(locale, channel) : text.removeChannelTitle(channel)}
        confirm={label}
        onConfirm={() => {
          setAsking(false);
          onRemove();
        }}
      >
        {locale ? text.removeLanguageText : text.removeChannelText}
      </ConfirmDialog>
    </>
  );
}

/** One stable function, which reads the latest data when called. */
function useCompletion(sample: Sample, used: string[] | undefined) {
  const known = useRef({ data: sample.data, used: used ?? [] });
  useEffect(() => {
    known.current = { data: sample.data, used: used ?? known.current.used };
  });
  return useMemo(
    () =>
      liquidCompletion(
        () => known.current.data,
        () => known.current.used,
      ),
    [],
  );
}
