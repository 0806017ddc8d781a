/**
 * The encoding and parts of a text message, counted as the service does (a test compares the two): the GSM 03.38
 * alphabet takes 7 bits per character, one character outside it makes the whole text UCS-2, and every part of a longer
 * text has a header.
 */
interface Segments {
  encoding: 'GSM-7' | 'UCS-2';
  /** Septets (a few characters take two), or UTF-16 code units. */
  units: number;
  segments: number;
  /** The capacity of these parts in units. */
  room: number;
  /** The characters that require UCS-2. */
  outside: string[];
}

const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const extension = '\f^{}\\[~]|€';
const septets = new Map([
  ...[...basic].map((character) => [character, 1] as const),
  ...[...extension].map((character) => [character, 2] as const),
]);

export function segmentsOf(text: string): Segments {
  const characters = [...text];
  const outside = [...new Set(characters.filter((character) => !septets.has(character)))];
  const isGsm = outside.length === 0;
  const weights = characters.map((character) => (isGsm ? (septets.get(character) ?? 1) : character.length));
  const [single, joined] = isGsm ? [160, 153] : [70, 67];
  const units = weights.reduce((sum, weight) => sum + weight, 0);
  const segments = units <= single ? 1 : partsOf(weights, joined);
  const room = segments === 1 ? single : segments * joined;
  return { encoding: isGsm ? 'GSM-7' : 'UCS-2', units, segments, room, outside };
}

/** An escape and its character, or a surrogate pair, stay in one part. */
function partsOf(weights: number[], size: number): number {
  let parts = 1;
  let used = 0;
  for (const weight of weights) {
    if (used + weight > size) {
      parts += 1;
      used = 0;
    }
    used += weight;
  }
  return parts;
}
