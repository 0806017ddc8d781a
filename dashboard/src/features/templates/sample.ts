import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { localStore } from '../../shell/local-store.ts';

export type Data = Record<string, unknown>;

const nameOf = (environmentId: string, key: string) => `sample.${environmentId}.${key}`;

export function rememberSample(environmentId: string, key: string, data: Data): void {
  localStore.set(nameOf(environmentId, key), JSON.stringify(data, null, 2));
}

export interface Sample {
  text: string;
  /** The last valid JSON object. */
  data: Data;
  problem: 'json' | 'object' | null;
  /** True until sample data is written. */
  isNew: boolean;
  set(text: string): void;
}

/** The sample data of a template; the browser stores it, also while it is invalid. */
export function useSample(key: string): Sample {
  const { environment } = useEnvironment();
  const name = nameOf(environment.id, key);
  const [stored] = useState(() => localStore.get(name));
  const [text, setText] = useState(stored ?? '{}');
  const [data, setData] = useState<Data>(() => parse(stored ?? '{}').data ?? {});
  const [isNew, setNew] = useState(stored === null);
  return {
    text,
    data,
    problem: parse(text).problem,
    isNew,
    set(next) {
      setText(next);
      setNew(false);
      localStore.set(name, next);
      const parsed = parse(next);
      if (parsed.data) setData(parsed.data);
    },
  };
}

function parse(text: string): { data: Data | null; problem: Sample['problem'] } {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    return isData(value) ? { data: value, problem: null } : { data: null, problem: 'object' };
  } catch {
    return { data: null, problem: 'json' };
  }
}

export const isData = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
