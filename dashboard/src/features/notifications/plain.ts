import { common } from '../../strings/common.ts';
import { shortTime } from '../../ui/index.ts';

const moments = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** What the service noted, in the reader's time, with the names of services and without the underscores of codes. */
export function plain(text: string): string {
  return common
    .withVendors(text)
    .replaceAll(moments, (moment) => shortMoment(moment))
    .replaceAll(/\(([a-z]+(?:_[a-z]+)+)\)/g, (_, word: string) => `(${word.replaceAll('_', ' ')})`);
}

export function shortMoment(iso: string): string {
  return shortTime(new Date(iso));
}

/** A sentence that ends as one. */
export function ended(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
