import { type Brand, PermissionError } from '@carillon/sdk';
import { FileProblem, fieldsOf } from './json-file.ts';
import type { Files, Kind } from './kind.ts';
import { contentIn, readSingleFiles, singleFile } from './single-file.ts';

const name = 'brand';
/** An environment has one brand. */
const key = 'environment';

/** brand/environment.json has the fields that are set. A brand without any counts as absent. */
export const brand: Kind = {
  name,
  removal: 'delete',
  read: (folder) => readSingleFiles(folder, name, new RegExp(`^${key}$`), parse),
  async *list(client) {
    try {
      const files = filesOf(await client.preferences.getBrand());
      if (files) yield [key, files];
    } catch (error) {
      // A key for templates and workflows alone goes on working; with a brand in the folder, the write says what is missing.
      if (!(error instanceof PermissionError)) throw error;
    }
  },
  find: async (client) => filesOf(await client.preferences.getBrand()),
  async write(client, _key, files) {
    await client.preferences.replaceBrand(contentIn(files) as Partial<Brand>);
  },
  async remove(client) {
    await client.preferences.replaceBrand({});
  },
};

/** As the service stores it. What it rejects is left for it to say. */
function parse(value: Record<string, unknown>): Partial<Brand> {
  const fields = fieldsOf(value, ['name', 'logo_url', 'accent_color']);
  const logo = fields.optionalText('logo_url', 2048);
  const content = contentOf({
    name: fields.optionalText('name', 100)?.trim() || null,
    logo_url: logo && URL.canParse(logo) ? new URL(logo).href : logo,
    accent_color: fields.optionalText('accent_color', 7)?.toLowerCase() ?? null,
  });
  if (!content) throw new FileProblem('sets nothing; delete it, and push with --prune to remove the brand');
  return content;
}

function filesOf(given: Brand): Files | null {
  const content = contentOf(given);
  return content && singleFile(name, key, content);
}

/** Null when no field is set. */
function contentOf({ name: title, logo_url, accent_color }: Brand): Partial<Brand> | null {
  const set = Object.entries({ name: title, logo_url, accent_color }).filter(([, value]) => value);
  return set.length === 0 ? null : Object.fromEntries(set);
}
