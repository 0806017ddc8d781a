import { describeError, isErrorAbout } from './error.ts';
import { Notice } from './notice.tsx';

/** The error of a form, unless one of its fields (`besides`) shows it. */
export function FormError({ error, besides = [] }: { error: unknown; besides?: readonly string[] }) {
  if (!error || isErrorAbout(error, besides)) return null;
  const { text, detail } = describeError(error);
  return (
    <Notice tone="red">
      {text}
      {detail && <div>{detail}</div>}
    </Notice>
  );
}
