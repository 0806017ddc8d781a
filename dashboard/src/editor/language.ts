import { html } from '@codemirror/lang-html';
import { json } from '@codemirror/lang-json';
import { liquid } from '@codemirror/lang-liquid';
import { LanguageSupport, StreamLanguage } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { typeOverTagEnd } from './type-over.ts';

/** `html`, `text` and `json-liquid` contain Liquid; `json` does not. */
export type Language = 'html' | 'text' | 'json' | 'json-liquid';

/** Text has no grammar: only its Liquid is highlighted. */
const plain = new LanguageSupport(
  StreamLanguage.define({
    token(stream) {
      stream.skipToEnd();
      return null;
    },
  }),
);

export function languageExtension(language: Language): Extension {
  switch (language) {
    case 'html':
      // A tag that Liquid opens twice and closes once is not a mistake: `{% if a %}<b>{% else %}<i>{% endif %}`.
      return [typeOverTagEnd, liquid({ base: html({ matchClosingTags: false }) })];
    case 'text':
      return [typeOverTagEnd, liquid({ base: plain })];
    case 'json':
      return json();
    case 'json-liquid':
      return [typeOverTagEnd, liquid({ base: json() })];
  }
}

export const isJson = (language: Language): boolean => language === 'json' || language === 'json-liquid';
export const hasLiquid = (language: Language): boolean => language !== 'json';
