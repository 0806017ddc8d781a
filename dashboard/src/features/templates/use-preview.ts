import type { TemplatePreview } from '@carillon/sdk';
import { useEffect, useRef, useState } from 'react';
import { useWrite } from '../../api/queries.ts';
import { type Body, bodyFields } from './content.ts';
import type { Data } from './sample.ts';

export interface Preview {
  /** The last one that could be drawn, of this body. */
  good: TemplatePreview | null;
  /** What is wrong with the body as it is now. */
  error: unknown;
  isEmpty: boolean;
  /** `good` is of what is there now, not of what was there before. */
  isCurrent: boolean;
}

interface Question {
  /** Each is a question of its own, also when it is asked while the same one waits for its answer. */
  number: number;
  place: string;
  body: Body;
  data: Data;
}

const pauseMs = 300;

/** What the body says with this data, as it is being written. */
export function usePreview(body: Body, data: Data): Preview {
  const isEmpty = bodyFields.every((field) => body[field].trim() === '');
  const place = `${body.channel} ${body.locale ?? ''}`;
  const asked = useRef<Question | null>(null);
  const [answer, setAnswer] = useState<{ question: Question; good: TemplatePreview } | null>(null);
  const { mutate, error, reset } = useWrite(
    (api, { body, data }: Question) => api.templates.preview({ ...body, data }),
    {
      quiet: true,
      // Answers may overtake each other; only that to the last question counts.
      onDone: (good, question) => question === asked.current && setAnswer({ question, good }),
    },
  );
  useEffect(() => {
    if (isEmpty) return reset();
    const ask = () => {
      const question = { number: (asked.current?.number ?? 0) + 1, place, body, data };
      asked.current = question;
      mutate(question);
    };
    const timer = setTimeout(ask, asked.current?.place === place ? pauseMs : 0);
    return () => clearTimeout(timer);
  }, [body, data, place, isEmpty, mutate, reset]);
  const known = answer?.question.place === place && !isEmpty ? answer : null;
  return {
    good: known?.good ?? null,
    error: isEmpty ? null : error,
    isEmpty,
    isCurrent: known?.question.body === body && known.question.data === data,
  };
}
