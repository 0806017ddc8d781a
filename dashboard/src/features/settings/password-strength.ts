import { profile } from '../../strings/settings.ts';

/** The limit of the service. */
const leastPassword = 10;

/** Rates a password while it is typed. Length decides; variety helps only short ones. */
export function strengthOf(password: string, known: string[] = []): { text: string; isEnough: boolean } {
  const { strength } = profile;
  if (password === '') return { text: strength.empty, isEnough: false };
  if (password.length < leastPassword) {
    return { text: strength.short(leastPassword - password.length), isEnough: false };
  }
  const different = new Set(password.toLowerCase()).size;
  const isKnown = known.some(
    (word) => word.length > 3 && password.toLowerCase().includes(word.toLowerCase()),
  );
  if (different < 6 || isKnown) return { text: strength.weak, isEnough: true };
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/].filter((kind) => kind.test(password)).length;
  const isStrong = password.length >= 16 || (password.length >= 12 && kinds >= 3);
  return { text: isStrong ? strength.strong : strength.fair, isEnough: true };
}
