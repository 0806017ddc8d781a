import { CarillonError } from '@carillon/sdk';
import { describeError, Notice } from '../../ui/index.ts';

/** What went wrong with a form, unless it is said beside one of its fields already. */
export function DialogError({ error, besides = [] }: { error: unknown; besides?: string[] }) {
  if (!error) return null;
  if (error instanceof CarillonError && error.param && besides.includes(error.param)) return null;
  const { text, detail } = describeError(error);
  return (
    <Notice tone="red">
      {text}
      {detail && <div>{detail}</div>}
    </Notice>
  );
}
