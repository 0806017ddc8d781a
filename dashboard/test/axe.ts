import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe finds serious or critical, as readable lines. Contrast is three quarters of its work, and depends on colours and
 * letters alone: a look that it has found right in this window is not judged again.
 */
export async function axeFindings(page: Page, { only }: { only?: 'contrast' } = {}): Promise<string[]> {
  if (await page.evaluate('!window.axe')) await page.evaluate(`${axeSource}; window.contrast = ${contrast}`);
  return page.evaluate(`(async () => {
    // Not into frames: what stands in them are messages, which others wrote.
    const options = { resultTypes: ['violations'], iframes: false };
    const violations = await contrast(options);
    const others = { ...options, rules: { 'color-contrast': { enabled: false } } };
    if (${only !== 'contrast'}) violations.push(...(await axe.run(document, others)).violations);
    return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact))
      .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ' ' + failureSummary));
  })()`);
}

/**
 * Runs in the page. How a text looks: its letters, its colour, and what stands around it. What axe could not judge (it was
 * disabled, or behind something) is not known to be right.
 */
const contrast = `async (options) => {
  const places = new Map();
  const placeOf = (element) => {
    if (!element) return '';
    if (!places.has(element)) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
      const own = [element.localName, element.getAttribute('class'), backgroundColor, backgroundImage, opacity];
      places.set(element, placeOf(element.parentElement) + own.join());
    }
    return places.get(element);
  };
  const lookOf = (element) => {
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    return [placeOf(element), color, fontSize, fontWeight].join();
  };
  const hasText = (element) => element.value || element.placeholder ||
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  const right = (window.rightLooks ??= new Set());
  const isUnjudged = (element) => hasText(element) && element.checkVisibility() && !right.has(lookOf(element));
  const include = [...document.body.querySelectorAll('*')].filter(isUnjudged);
  if (include.length === 0) return [];
  const { passes, violations } = await axe.run({ include }, {
    ...options, runOnly: ['color-contrast'], resultTypes: ['violations', 'passes'], elementRef: true,
  });
  for (const { element } of passes.flatMap(({ nodes }) => nodes)) right.add(lookOf(element));
  return violations;
}`;
