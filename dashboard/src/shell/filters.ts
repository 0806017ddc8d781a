import { useNavigate, useSearch } from '@tanstack/react-router';

/** Filters live in the URL: they survive a reload, follow back and forward, and can be sent to a colleague. */
export function useFilters<Name extends string>(...names: Name[]) {
  const search = useSearch({ strict: false }) as Record<string, string | undefined>;
  const navigate = useNavigate();
  const values = Object.fromEntries(names.map((name) => [name, search[name] ?? ''])) as Record<Name, string>;
  const set = (changes: Partial<Record<Name, string>>): Promise<void> =>
    navigate({
      to: '.',
      replace: true,
      search: (former: Record<string, string | undefined>) => withoutEmpty({ ...former, ...changes }),
    });
  return {
    values,
    isFiltered: names.some((name) => values[name] !== ''),
    set,
    clear() {
      void set(Object.fromEntries(names.map((name) => [name, ''])) as Record<Name, string>);
    },
    /** The props for the control of one filter. */
    bind: (name: Name) => ({
      value: values[name],
      onChange(value: string) {
        void set({ [name]: value } as Record<Name, string>);
      },
    }),
  };
}

function withoutEmpty(search: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(search).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
}

/** The filters that are set, as parameters of a request. */
export function given<Name extends string>(values: Record<Name, string>): Partial<Record<Name, string>> {
  return withoutEmpty(values) as Partial<Record<Name, string>>;
}
