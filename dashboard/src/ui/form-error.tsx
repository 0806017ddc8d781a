import { CarillonError } from '@carillon/sdk';
import { describeError } from './error.ts';
import { Notice } from './notice.tsx';

/** What went wrong with a form, unless it is said beside one of its fields already. */
export function FormError({ error, besides = [] }: { error: unknown; besides?: readonly string[] }) {
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
