import { type Template, toValueSync } from 'liquidjs';

/** Every tag, output and piece of text of a parsed template, however deep. Not recursive: nested generators take the square of the depth. */
export function* walk(templates: Template[]): Generator<Template> {
  const waiting = [...templates].reverse();
  for (let template = waiting.pop(); template; template = waiting.pop()) {
    yield template;
    const children = template.children?.(false, true);
    if (children) waiting.push(...[...(toValueSync(children) as Template[])].reverse());
  }
}
