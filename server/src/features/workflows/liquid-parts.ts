export interface LiquidPart {
  text: string;
  isLiquid: boolean;
}

/** Splits a template into Liquid (`{{ … }}`, `{% … %}`) and the text between; an unclosed bracket is text. */
export function splitLiquid(template: string): LiquidPart[] {
  const parts: LiquidPart[] = [];
  // The last closing bracket of each kind is found first, so that no search is in vain: the work stays linear in the length.
  const kinds = [
    { open: '{{', close: '}}', lastClose: template.lastIndexOf('}}') },
    { open: '{%', close: '%}', lastClose: template.lastIndexOf('%}') },
  ];
  let textFrom = 0;
  for (let at = template.indexOf('{'); at !== -1; at = template.indexOf('{', at)) {
    const kind = kinds.find(({ open, lastClose }) => template.startsWith(open, at) && at + 2 <= lastClose);
    if (!kind) {
      at += 1;
      continue;
    }
    const end = template.indexOf(kind.close, at + 2) + 2;
    if (textFrom < at) parts.push({ text: template.slice(textFrom, at), isLiquid: false });
    parts.push({ text: template.slice(at, end), isLiquid: true });
    at = end;
    textFrom = end;
  }
  if (textFrom < template.length) parts.push({ text: template.slice(textFrom), isLiquid: false });
  return parts;
}
