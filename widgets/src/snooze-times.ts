import type { MessageName } from './texts.ts';

export interface SnoozeChoice {
  name: MessageName;
  until: Date;
}

const hourMs = 3_600_000;
const evening = 18;
const morning = 9;

/** The times that the menu offers, in the time zone of the reader. */
export function snoozeChoices(now: Date): SnoozeChoice[] {
  const at = (days: number, hour: number): Date =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour);
  const toMonday = (8 - now.getDay()) % 7 || 7;
  return [
    { name: 'snoozeHour', until: new Date(now.getTime() + hourMs) },
    ...(now.getHours() < evening - 1 ? [{ name: 'snoozeEvening' as const, until: at(0, evening) }] : []),
    { name: 'snoozeTomorrow', until: at(1, morning) },
    { name: 'snoozeNextWeek', until: at(toMonday, morning) },
  ];
}

export function clockTime(at: Date, language: string): string {
  return at.toLocaleString(language, { weekday: 'short', hour: 'numeric', minute: '2-digit' });
}

export function dayAndTime(at: Date, language: string): string {
  return at.toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' });
}
