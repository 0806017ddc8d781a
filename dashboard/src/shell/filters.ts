import { useNavigate, useSearch } from '@tanstack/react-router';

/** Filters live in the address: they survive a reload, go back and forth, and can be sent to a colleague. */
export function useFilters<Name extends string>(...names: Name[]) {
  const search = useSearch({ strict: false }) as Record<string, string | undefined>;
  const navigate = useNavigate();
  const values = Object.fromEntries(names.map((name) => [name, search[name] ?? ''])) as Record<Name, string>;
  return {
    values,
    isFiltered: names.some((name) => values[name] !== ''),
    set(changes: Partial<Record<Name, string>>): Promise<void> {
      return navigate({
        to: '.',
        replace: true,
        search: (former: Record<string, string | undefined>) => withoutEmpty({ ...former, ...changes }),
      });
    },
    clear() {
      const cleared = Object.fromEntries(names.map((name) => [name, '']));
      void navigate({
        to: '.',
        replace: true,
        search: (former: Record<string, string | undefined>) => withoutEmpty({ ...former, ...cleared }),
      });
    },
  };
}

function withoutEmpty(search: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(search).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
}

/** For the API: what is not set is left out. */
export function given<Name extends string>(values: Record<Name, string>): Partial<Record<Name, string>> {
  return withoutEmpty(values) as Partial<Record<Name, string>>;
}
