import { type Template, toValueSync } from 'liquidjs';

/** Every tag, output and piece of text of a parsed template, however deep. */
export function* walk(templates: Template[]): Generator<Template> {
  for (const template of templates) {
    yield template;
    const children = template.children?.(false, true);
    if (children) yield* walk(toValueSync(children) as Template[]);
  }
}
