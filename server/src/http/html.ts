/** Markup that is safe to send. Only `html` makes it, and it escapes everything that is not markup already. */
export interface Html {
  readonly markup: string;
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

export function html(
  parts: TemplateStringsArray,
  ...values: (string | number | Html | Html[] | null)[]
): Html {
  const markup = parts.reduce((text, part, index) => text + part + inserted(values[index] ?? null), '');
  return { markup };
}

function inserted(value: string | number | Html | Html[] | null): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.map((each) => each.markup).join('');
  return typeof value === 'object' ? value.markup : escapeHtml(String(value));
}

/** Renders the markup that our own descriptions use: paragraphs, `- ` lists and backticks. */
export function prose(text: string): Html[] {
  return text.split(/\n{2,}/).map((paragraph) => {
    const lines = paragraph.split('\n');
    if (lines.every((line) => line.startsWith('- '))) {
      return html`<ul>${lines.map((line) => html`<li>${inline(line.slice(2))}</li>`)}</ul>`;
    }
    return html`<p>${inline(paragraph)}</p>`;
  });
}

/** Backticks become code. */
export function inline(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
