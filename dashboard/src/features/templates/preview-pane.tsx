import type { TemplatePreview } from '@carillon/sdk';
import { useEffect, useState } from 'react';
import { MessagePreview, PreviewSwitch, type PreviewView } from '../../previews/index.ts';
import type { Channel } from '../../strings/common.ts';
import { parts } from '../../strings/parts.ts';
import { templates as text } from '../../strings/templates.ts';
import { Button, Card, describeError, Notice, Skeleton } from '../../ui/index.ts';
import type { Body } from './content.ts';
import { exampleFor } from './example.ts';
import { type BodyProblem, problemOf } from './problem.ts';
import type { Sample } from './sample.ts';
import styles from './templates.module.css';
import type { Preview } from './use-preview.ts';

/** The preview of the draft with the sample data. */
export function PreviewPane(props: {
  body: Body;
  preview: Preview;
  sample: Sample;
  onReveal(problem: BodyProblem): void;
}) {
  const { body, preview, sample, onReveal } = props;
  const { channel } = body;
  const { good, error, isEmpty, isCurrent } = preview;
  const [view, setView] = useState<PreviewView>('desktop');
  const missing = (isCurrent && good?.undefined_variables) || [];
  const fill = () => sample.set(JSON.stringify(exampleFor(body, good, sample.data), null, 2));
  // Without sample data, examples are better than gaps.
  useEffect(() => {
    if (sample.isNew && missing.length > 0) fill();
  });
  const hasViews = channel === 'email' || channel === 'in_app';
  return (
    <Card title={text.preview} actions={hasViews && <PreviewSwitch view={view} onChange={setView} />}>
      <div className={styles.drawn}>
        {error !== null && error !== undefined && (
          <PreviewError error={error} hasGood={good !== null} onReveal={onReveal} />
        )}
        {missing.length > 0 && !sample.isNew && (
          <Notice
            tone="amber"
            action={
              <Button size="small" onClick={fill}>
                {text.addToSample}
              </Button>
            }
          >
            {text.undefined(missing)}
          </Notice>
        )}
        {isCurrent && good !== null && good.missing_translations.length > 0 && (
          <Notice tone="amber">{parts.translations.previewMissing(good.missing_translations)}</Notice>
        )}
        {isEmpty ? (
          <p className={styles.nothing}>{text.previewEmpty}</p>
        ) : good ? (
          <MessagePreview message={messageOf(channel, good)} view={view} />
        ) : (
          !error && <Skeleton />
        )}
      </div>
    </Card>
  );
}

function PreviewError(props: { error: unknown; hasGood: boolean; onReveal(problem: BodyProblem): void }) {
  const { error, hasGood, onReveal } = props;
  const problem = problemOf(error);
  return (
    <Notice
      tone="red"
      action={
        problem?.line && (
          <Button size="small" onClick={() => onReveal(problem)}>
            {text.goToLine(problem.line)}
          </Button>
        )
      }
    >
      {problem?.field && <strong>{text.field(problem.field)}: </strong>}
      {problem?.message ?? describeError(error).text} {hasGood && text.lastGood}
    </Notice>
  );
}

function messageOf(channel: Channel, { subject, html_body, text_body, structured }: TemplatePreview) {
  return { channel, subject: subject || null, html: html_body || null, text: text_body || null, structured };
}
