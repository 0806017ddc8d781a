/**
 * Reads a reply as an opt-out or opt-in, by the words that carriers and providers treat so. Only a message that is nothing but
 * the word counts: "stop sending me the Tuesday one" is for a person to read.
 */
const nothing = new Set([
  'STOP',
  'STOPALL',
  'STOP ALL',
  'UNSUBSCRIBE',
  'CANCEL',
  'END',
  'QUIT',
  'OPTOUT',
  'OPT OUT',
  'OPT-OUT',
  'REVOKE',
  'ARRET',
  'ARRÊT',
]);
const again = new Set(['START', 'UNSTOP']);

export function optOutOf(text: string): 'nothing' | 'again' | null {
  const word = text
    .normalize('NFC')
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/^["'“”]|["'“”.!]+$/g, '')
    .toUpperCase();
  if (nothing.has(word)) return 'nothing';
  return again.has(word) ? 'again' : null;
}
