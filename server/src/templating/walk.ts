import { type Template, toValueSync } from 'liquidjs';

/**
 * Yields every tag, output and piece of text of a parsed template, at any depth. Not recursive: nested generators take the
 * square of the depth.
 */
export function* walk(templates: Template[]): Generator<Template> {
  const waiting = [...templates].reverse();
  for (let template = waiting.pop(); template; template = waiting.pop()) {
    yield template;
    const children = template.children?.(false, true);
    if (children) waiting.push(...[...(toValueSync(children) as Template[])].reverse());
  }
}
