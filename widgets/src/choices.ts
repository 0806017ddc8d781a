import { html, nothing, type TemplateResult } from 'lit';
import type { Entry } from './entries.ts';
import { checkIcon } from './icons.ts';
import type { Say } from './messages.ts';
import type { InboxAction } from './public.ts';
import { safeUrl } from './sanitise.ts';

export interface ChoiceContext {
  say: Say;
  linkTarget: string | null;
  choose(entry: Entry, action: InboxAction, event: MouseEvent): void;
}

/** The action buttons of an item; once one was chosen, only its name. */
export function choices(
  entry: Entry,
  tabindex: number,
  { say, linkTarget, choose }: ChoiceContext,
): TemplateResult | typeof nothing {
  const { actions, action_taken: taken } = entry.item;
  if (actions.length === 0) return nothing;
  if (taken) {
    const label = actions.find(({ key }) => key === taken.key)?.label ?? taken.key;
    return html`<div class="choices chosen" part="choices">${checkIcon}<bdi>${say('chosen', { action: label })}</bdi></div>`;
  }
  return html`<div class="choices" part="choices">
    ${actions.map((action) => {
      const href = safeUrl(action.url);
      const onClick = (event: MouseEvent) => choose(entry, action, event);
      const classes = `choice ${action.style}`;
      const part = `choice choice-${action.style}`;
      return href === null
        ? html`<button class=${classes} part=${part} tabindex=${tabindex} @click=${onClick}><bdi>${action.label}</bdi></button>`
        : html`<a class=${classes} part=${part} tabindex=${tabindex} href=${href} target=${linkTarget ?? nothing} rel="noopener" @click=${onClick}
            ><bdi>${action.label}</bdi></a
          >`;
    })}
  </div>`;
}
