import type { Channel } from '../../../channels/contract.ts';
import type { DescribedCategory, Preference, PreferenceChange } from '../preferences/index.ts';

/** A category as the page shows it. */
export interface Choice {
  key: string;
  name: string;
  description: string | null;
  /** A critical category is always sent; it has no channels to choose. */
  isCritical: boolean;
  channels: { channel: Channel; isOn: boolean }[];
}

/**
 * The choices of a user. The channels are those that some category uses by default or that the user has chosen, as in the widget;
 * webhooks go to machines.
 */
export function choicesOf(preferences: Preference[], categories: DescribedCategory[]): Choice[] {
  const used = new Set<Channel>(categories.flatMap(({ default_channels }) => default_channels));
  for (const { channel, opted_in, is_critical } of preferences)
    if (opted_in && !is_critical) used.add(channel);
  used.delete('webhook');
  const byCategory = new Map(categories.map(({ key }) => [key, [] as Preference[]]));
  for (const cell of preferences) byCategory.get(cell.category_key)?.push(cell);
  return categories.map(({ key, name, description }) => {
    const cells = byCategory.get(key) ?? [];
    const isCritical = cells.some(({ is_critical }) => is_critical);
    return {
      ...{ key, name, description, isCritical },
      channels: isCritical
        ? []
        : cells
            .filter(({ channel }) => used.has(channel))
            .map(({ channel, opted_in: isOn }) => ({ channel, isOn })),
    };
  });
}

/** The value of a checkbox and of the hidden field that says how it was shown. */
export const cellName = (categoryKey: string, channel: Channel): string => `${categoryKey}:${channel}`;

/** The name of the hidden field of a checkbox. */
export const shownName = (isOn: boolean): 'shown_on' | 'shown_off' => (isOn ? 'shown_on' : 'shown_off');

/**
 * The changes that a form asks for. Only checkboxes that the page had shown count, and only those that the recipient changed: a
 * form that was open for a while must not undo what was chosen elsewhere since. Unknown names are ignored, because a category
 * may have been archived since.
 */
export function changesIn(form: URLSearchParams, choices: Choice[]): PreferenceChange[] {
  const shown = new Map(
    [true, false].flatMap((isOn) => form.getAll(shownName(isOn)).map((cell) => [cell, isOn] as const)),
  );
  const stopsAll = form.get('all') === 'off';
  const on = new Set(stopsAll ? [] : form.getAll('on'));
  return choices.flatMap(({ key, channels }) =>
    channels.flatMap(({ channel, isOn }) => {
      const name = cellName(key, channel);
      const wanted = on.has(name);
      const isAsked = shown.has(name) && (stopsAll || shown.get(name) !== wanted);
      return isAsked && wanted !== isOn ? [{ category_key: key, channel, opted_in: wanted }] : [];
    }),
  );
}
