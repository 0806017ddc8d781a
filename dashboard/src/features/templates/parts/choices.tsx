import type { TemplateBody } from '@carillon/sdk';
import { useRead } from '../../../api/queries.ts';
import { parts } from '../../../strings/parts.ts';
import { Field, Select } from '../../../ui/index.ts';
import { layoutChannels } from './layout-channels.ts';

/** The layout of a body; hidden while its channel has none. */
export function LayoutChoice(props: {
  body: TemplateBody;
  readOnly: boolean;
  onChange(layout: string | null): void;
}) {
  const { body, readOnly, onChange } = props;
  const text = parts.layouts;
  const query = useRead(['layouts', 'all'], async (api, signal) => {
    const { data } = await api.layouts.list({ limit: 100 }, { signal }).page();
    return data;
  });
  const own = (query.data ?? []).filter(({ channel }) => channel === body.channel);
  if (!layoutChannels.some((each) => each === body.channel)) return null;
  if (own.length === 0 && body.layout === null) return null;
  const keys = [...new Set([...own.map(({ key }) => key), ...(body.layout ? [body.layout] : [])])];
  return (
    <Field label={text.choose}>
      <Select
        value={body.layout ?? ''}
        disabled={readOnly}
        onChange={(event) => onChange(event.target.value || null)}
      >
        <option value="">{text.byDefault}</option>
        <option value="none">{text.none}</option>
        {keys
          .filter((key) => key !== 'none')
          .map((key) => (
            <option key={key} value={key}>
              {key}
            </option>
          ))}
      </Select>
    </Field>
  );
}

/** The locale of the preview; hidden while there are no translations. */
export function PreviewLocale(props: { value: string | null; onChange(locale: string | null): void }) {
  const { value, onChange } = props;
  const text = parts.translations;
  const query = useRead(['translations', 'locales'], async (api, signal) => {
    const { data } = await api.translations.list({ limit: 100 }, { signal }).page();
    return data.map(({ locale }) => locale).sort();
  });
  if (!query.data || query.data.length === 0) return null;
  return (
    <Field label={text.previewIn}>
      <Select value={value ?? ''} onChange={(event) => onChange(event.target.value || null)}>
        <option value="">{text.previewDefault}</option>
        {query.data.map((locale) => (
          <option key={locale} value={locale}>
            {locale}
          </option>
        ))}
        <option value="en-XA">{text.pseudo}</option>
      </Select>
    </Field>
  );
}
