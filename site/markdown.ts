/** The address of a heading within its page, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** Replaces the targets of the links and pictures of a page, except in code. */
export function replaceLinks(text: string, replace: (target: string) => string): string {
  return text.replaceAll(
    /^```[\s\S]*?^```$|`[^`]*`|\]\((?!https?:)([^)\s]+)\)/gm,
    (found, target?: string) => (target === undefined ? found : `](${replace(target)})`),
  );
}

/** A command with curl and the same call in TypeScript, one directly after the other, become two tabs. */
export function withTabs(text: string): string {
  return text.replaceAll(
    /^```sh\n((?:(?!```)[\s\S])*?\bcurl (?:(?!```)[\s\S])*?)^```\n\n```ts\n([\s\S]*?)^```$/gm,
    (_, curl: string, typescript: string) =>
      `::: code-group\n\n\`\`\`sh [curl]\n${curl}\`\`\`\n\n\`\`\`ts [TypeScript]\n${typescript}\`\`\`\n\n:::`,
  );
}

interface Group {
  text: string;
  items: { text: string; page: string }[];
}

/** The groups of an index page: each heading with the links that its list items begin with. */
export function groupsOf(index: string): Group[] {
  return index
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      text: section.split('\n', 1)[0] ?? '',
      items: [...section.matchAll(/^- \[([^\]]+)\]\(([^)#]+)\)/gm)].map(([, text = '', page = '']) => ({
        text,
        page,
      })),
    }));
}
