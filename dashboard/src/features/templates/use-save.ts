import type { Template } from '@carillon/sdk';
import { useState } from 'react';
import { useApi } from '../../api/environment.tsx';
import { isCode, useWrite } from '../../api/queries.ts';
import { templates as text } from '../../strings/templates.ts';
import { useToast } from '../../ui/index.ts';
import { type Body, type BodyLocation, canSave, savedContentOf } from './content.ts';
import { type BodyProblem, bodyLocationOf, problemOf } from './problem.ts';
import type { Draft } from './use-draft.ts';

export interface Save {
  run(): void;
  /** Saves over the version of the other person. */
  overwrite(version: number): void;
  isPending: boolean;
  error: unknown;
  /** The body that the service rejected. */
  place: BodyLocation | null;
  problemAt(place: BodyLocation): BodyProblem | null;
  /** The version that another person saved in the meantime. */
  conflict: Template | null;
  setConflict(theirs: Template | null): void;
  forget(): void;
}

/** Saves the draft as a new version, unless the template has changed since. */
export function useSave(key: string, draft: Draft): Save {
  const api = useApi();
  const toast = useToast();
  const [conflict, setConflict] = useState<Template | null>(null);
  const [sent, setSent] = useState<Body[]>([]);
  const write = useWrite(
    (client, version: number) =>
      client.templates.update(key, savedContentOf(draft.content), { if_match: version }),
    {
      quiet: true,
      changes: [['templates'], ['template', key]],
      done: (saved) => text.saved(saved.version),
      onDone: (saved) => {
        setConflict(null);
        draft.rebase(saved);
      },
    },
  );
  const run = (version: number) => {
    if (write.isPending || !canSave(draft.content)) return;
    setSent(draft.content.bodies);
    write.mutate(version, {
      onError: (error) => {
        if (!isCode(error, 'version_conflict')) return;
        api.templates.get(key).then(setConflict, toast.error);
      },
    });
  };
  const isConflict = isCode(write.error, 'version_conflict');
  const place = bodyLocationOf(write.error, sent);
  return {
    run: () => run(draft.version),
    overwrite: run,
    isPending: write.isPending,
    error: isConflict ? null : write.error,
    place,
    problemAt: ({ channel, locale }) =>
      place?.channel === channel && place.locale === locale ? problemOf(write.error) : null,
    conflict,
    setConflict,
    forget: () => {
      if (!write.isPending && write.error) write.reset();
    },
  };
}
