import type { TemplatePreview } from '@carillon/sdk';
import { useEffect, useState } from 'react';
import { useWrite } from '../../../api/queries.ts';
import { MessagePreview } from '../../../previews/index.ts';
import { parts as text } from '../../../strings/parts.ts';
import { Card, describeError, Notice, Skeleton } from '../../../ui/index.ts';
import type { LayoutChannel } from './layout-channels.ts';

const pauseMs = 300;

/** Renders a source while it is edited, with what is saved of everything else. */
export function PartPreview({
  channel,
  html,
  text: plain,
}: {
  channel: LayoutChannel;
  html: string;
  text: string;
}) {
  const [good, setGood] = useState<TemplatePreview | null>(null);
  const { mutate, error } = useWrite(
    (api, source: { html: string; plain: string }) =>
      api.templates.preview({
        channel,
        layout: 'none',
        html_template: source.html,
        text_template: source.plain,
        data: {},
      }),
    { quiet: true, onDone: setGood },
  );
  useEffect(() => {
    const timer = setTimeout(() => mutate({ html, plain }), pauseMs);
    return () => clearTimeout(timer);
  }, [html, plain, mutate]);
  return (
    <Card title={text.preview}>
      {error !== null && <Notice tone="red">{describeError(error).text}</Notice>}
      {good ? (
        <MessagePreview
          message={{
            channel,
            subject: null,
            html: good.html_body || null,
            text: good.text_body || null,
            structured: null,
          }}
          view="desktop"
        />
      ) : (
        error === null && <Skeleton />
      )}
    </Card>
  );
}
