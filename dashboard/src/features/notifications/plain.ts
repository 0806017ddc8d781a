import { common } from '../../strings/common.ts';
import { shortTime } from '../../ui/index.ts';

const moments = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** Rewrites a text of the service with local times, service names and readable codes. */
export function plain(text: string): string {
  return common
    .withVendors(text)
    .replaceAll(moments, (moment) => shortMoment(moment))
    .replaceAll(/\(([a-z]+(?:_[a-z]+)+)\)/g, (_, word: string) => `(${word.replaceAll('_', ' ')})`);
}

export function shortMoment(iso: string): string {
  return shortTime(new Date(iso));
}

/** Adds the missing full stop. */
export function ended(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
