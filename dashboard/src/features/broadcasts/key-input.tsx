import type { Client } from '@carillon/sdk';
import { useEffect, useId, useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { Input } from '../../ui/index.ts';

interface Choice {
  key: string;
  name: string;
}

const pauseMs = 250;
const suggestions = 20;

const lists = {
  topics: (api: Client, search: string, signal: AbortSignal): Promise<{ data: Choice[] }> =>
    api.topics.list({ limit: suggestions, ...(search && { search }) }, { signal }).page(),
  templates: (api: Client, search: string, signal: AbortSignal): Promise<{ data: Choice[] }> =>
    api.templates.list({ limit: suggestions, ...(search && { search }) }, { signal }).page(),
};

/** The key of a topic or template. The browser suggests those that the service finds by key or name; the service validates. */
export function KeyInput(props: {
  of: keyof typeof lists;
  value: string;
  placeholder: string;
  onChange(value: string): void;
}) {
  const { of, value, placeholder, onChange } = props;
  const id = useId();
  const [search, setSearch] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSearch(value.trim().slice(0, 100)), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  const found = useRead([of, 'choices', search], (api, signal) => lists[of](api, search, signal), {
    keep: true,
  });
  return (
    <>
      <Input
        mono
        value={value}
        maxLength={100}
        list={id}
        placeholder={placeholder}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={id}>
        {(found.data?.data ?? []).map(({ key, name }) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  );
}
