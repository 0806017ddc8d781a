import type { TemplatePreview } from '@carillon/sdk';
import { useEffect, useRef, useState } from 'react';
import { useWrite } from '../../api/queries.ts';
import { type Body, bodyFields } from './content.ts';
import type { Data } from './sample.ts';

export interface Preview {
  /** The last successful preview of this body. */
  good: TemplatePreview | null;
  /** The error of the current body. */
  error: unknown;
  isEmpty: boolean;
  /** True when `good` belongs to the current content, not to an earlier one. */
  isCurrent: boolean;
}

interface Question {
  /** Makes each request unique, even one with the same content as a pending one. */
  number: number;
  place: string;
  body: Body;
  data: Data;
  /** Null for that of the body. */
  locale: string | null;
}

const pauseMs = 300;

/** Renders the body with this data while it is edited. */
export function usePreview(body: Body, data: Data, locale: string | null): Preview {
  const isEmpty = bodyFields.every((field) => body[field].trim() === '');
  const place = `${body.channel} ${body.locale ?? ''}`;
  const asked = useRef<Question | null>(null);
  const [answer, setAnswer] = useState<{ question: Question; good: TemplatePreview } | null>(null);
  const { mutate, error, reset } = useWrite(
    (api, { body, data, locale }: Question) =>
      api.templates.preview({ ...body, data, locale: locale ?? body.locale }),
    {
      quiet: true,
      // Responses can arrive out of order; only the response to the last request counts.
      onDone: (good, question) => question === asked.current && setAnswer({ question, good }),
    },
  );
  useEffect(() => {
    if (isEmpty) return reset();
    const ask = () => {
      const question = { number: (asked.current?.number ?? 0) + 1, place, body, data, locale };
      asked.current = question;
      mutate(question);
    };
    const timer = setTimeout(ask, asked.current?.place === place ? pauseMs : 0);
    return () => clearTimeout(timer);
  }, [body, data, locale, place, isEmpty, mutate, reset]);
  const known = answer?.question.place === place && !isEmpty ? answer : null;
  return {
    good: known?.good ?? null,
    error: isEmpty ? null : error,
    isEmpty,
    isCurrent:
      known?.question.body === body && known.question.data === data && known.question.locale === locale,
  };
}
