import type { Template } from '@carillon/sdk';
import { useEffect, useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { sessionStore } from '../../shell/session-store.ts';
import { type Content, contentOf, isSame } from './content.ts';

export interface Draft {
  content: Content;
  /** The version that the changes are based on. */
  version: number;
  isDirty: boolean;
  /** True when the changes were made before the page was loaded. */
  isRestored: boolean;
  /** A version that another person saved while there are changes here. */
  newer: Template | null;
  edit(change: (content: Content) => Content): void;
  /** Sets the saved version; `content` holds the changes on top of it, if any. */
  rebase(saved: Template, content?: Content): void;
  discard(): void;
}

interface Stored {
  version: number;
  content: Content;
}

/**
 * The edited content on top of the saved version. It is stored in the session of the browser, so that a reload loses
 * nothing. A version that another person saved is loaded when there are no changes here, and offered when there are.
 */
export function useDraft(current: Template): Draft {
  const { environment } = useEnvironment();
  const name = `${environment.id}.${current.id}`;
  const [stored] = useState(() => storedIn(sessionStore.get(name)));
  const [base, setBase] = useState({
    content: contentOf(current),
    version: stored?.version ?? current.version,
  });
  // A draft that an earlier release stored may lack a field.
  const [content, setContent] = useState<Content>({ ...base.content, ...stored?.content });
  const [isRestored, setRestored] = useState(!isSame(content, base.content));
  const isDirty = !isSame(content, base.content);

  useEffect(
    () => sessionStore.set(name, isDirty ? { version: base.version, content } : null),
    [name, isDirty, base.version, content],
  );

  const rebase = (saved: Template, next: Content = contentOf(saved)) => {
    setBase({ content: contentOf(saved), version: saved.version });
    setContent(next);
    setRestored(false);
  };
  const isBehind = current.version > base.version;
  if (isBehind && !isDirty) rebase(current);

  return {
    content,
    version: base.version,
    isDirty,
    isRestored: isRestored && isDirty,
    newer: isBehind && isDirty ? current : null,
    edit: setContent,
    rebase,
    discard: () => (isBehind ? rebase(current) : setContent(base.content)),
  };
}

function storedIn(value: unknown): Stored | null {
  const { version, content } = (value ?? {}) as Partial<Stored>;
  if (typeof version !== 'number' || typeof content?.name !== 'string') return null;
  return Array.isArray(content.bodies) ? { version, content } : null;
}
