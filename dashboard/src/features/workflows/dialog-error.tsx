import { CarillonError } from '@carillon/sdk';
import { describeError, Notice } from '../../ui/index.ts';

/** What went wrong in a dialog, unless a field of it says so already. */
export function DialogError({ error, fields = [] }: { error: unknown; fields?: string[] }) {
  if (!error) return null;
  if (error instanceof CarillonError && error.param !== null && fields.includes(error.param)) return null;
  const { text, detail } = describeError(error);
  return (
    <Notice tone="red">
      {text}
      {detail !== null && <div>{detail}</div>}
    </Notice>
  );
}
