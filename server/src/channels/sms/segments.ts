/** The encoding of a text message and the number of its parts. */
export interface Segmentation {
  encoding: 'GSM-7' | 'UCS-2';
  /** Septets (a character of the extension table takes two), or UTF-16 code units. */
  units: number;
  segments: number;
}

/** The longest text that every provider here accepts, in UTF-16 code units; 24 parts in UCS-2. */
export const maxTextLength = 1_600;

const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const extension = '\f^{}\\[~]|€';

const septets = new Map<string, number>([
  ...[...basic].map((character) => [character, 1] as const),
  ...[...extension].map((character) => [character, 2] as const),
]);

/**
 * The encoding of a text message: a text in the GSM 03.38 alphabet takes 7 bits a character, any other character makes the
 * whole text UCS-2. One part holds 1120 bits; of several, each gives 48 of them to the header that joins them.
 */
export function segmentationOf(text: string): Segmentation {
  const characters = [...text]; // by code point: a surrogate pair is one element
  const isGsm = characters.every((character) => septets.has(character));
  return isGsm
    ? { encoding: 'GSM-7', ...pack(characters, (character) => septets.get(character) ?? 1, 160, 153) }
    : { encoding: 'UCS-2', ...pack(characters, (character) => character.length, 70, 67) };
}

/** Keeps an escape and the character after it, and the two halves of a surrogate pair, in the same part. */
function pack(
  characters: string[],
  weigh: (character: string) => number,
  single: number,
  joined: number,
): Pick<Segmentation, 'units' | 'segments'> {
  const weights = characters.map(weigh);
  const units = weights.reduce((sum, weight) => sum + weight, 0);
  if (units <= single) return { units, segments: 1 };
  let segments = 1;
  let used = 0;
  for (const weight of weights) {
    if (used + weight > joined) {
      segments += 1;
      used = 0;
    }
    used += weight;
  }
  return { units, segments };
}

/** Returns why a text cannot be sent as a text message; null when it can. */
export function textProblem(text: string): string | null {
  if (text.length <= maxTextLength) return null;
  return `must have at most ${maxTextLength} characters (it has ${text.length})`;
}
