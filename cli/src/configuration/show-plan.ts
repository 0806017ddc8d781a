import type { Style } from '../style.ts';
import type { Change, Plan } from './plan.ts';
import { diffLines } from './text-diff.ts';

const marks = { create: ['+', 'green'], update: ['~', 'yellow'], remove: ['-', 'red'] } as const;
const lineFormats = { '+': 'green', '-': 'red', '@': 'dim', ' ': 'reset' } as const;

/** Every change with the lines that differ, then what stays as it is. */
export function describePlan({ changes, kept }: Plan, style: Style): string[] {
  return [
    ...changes.flatMap((change) => [titleOf(change, style), ...linesOf(change, style)]),
    ...kept.map(({ kind, key, why }) => style('dim', `  ${kind.name}/${key}: ${why}, not changed`)),
  ];
}

function titleOf({ kind, key, action, conflict }: Change, style: Style): string {
  const [mark, format] = marks[action];
  const word = action === 'remove' ? kind.removal : action;
  const title = style(format, `${mark} ${kind.name}/${key} (${word})`);
  return conflict ? `${title} ${style('red', `conflict: ${conflict}`)}` : title;
}

function linesOf({ before, after, action }: Change, style: Style): string[] {
  if (action === 'remove') return [];
  const lines: string[] = [];
  for (const path of [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])].sort()) {
    const [one, other] = [before?.get(path) ?? '', after?.get(path) ?? ''];
    if (one === other) continue;
    lines.push(style('dim', `    ${path}`));
    for (const { mark, text } of diffLines(one, other))
      lines.push(style(lineFormats[mark], `    ${mark === '@' ? ' ' : mark} ${visible(text)}`));
  }
  return lines;
}

/** Control characters as pictures: what is shown is what is there, and it cannot act on the terminal. */
function visible(text: string): string {
  return text.replaceAll(/(?!\t)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return code < 0x20 ? String.fromCodePoint(0x2400 + code) : '␦';
  });
}

export function planAsJson({ changes, kept }: Plan) {
  return {
    changes: changes.map(({ kind, key, action, conflict }) => ({ kind: kind.name, key, action, conflict })),
    kept: kept.map(({ kind, key, why }) => ({ kind: kind.name, key, why })),
  };
}
