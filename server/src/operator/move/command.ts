import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { openKeyring } from '../../db/encryption-keys.ts';
import { type Pool, query } from '../../db/sql.ts';
import { isUuid } from '../../kernel/ids.ts';
import { commandLine } from '../../processes/invocation.ts';
import { type OperatorCommand, withDatabase } from '../command.ts';
import { countRows, exportOrganization, getOrganization, keyFile } from './export.ts';
import { activate, deleteOrganization, handOver, release } from './finish.ts';
import { checkFile, importOrganization } from './import.ts';
import { planMove } from './tables.ts';

const usage = `Moves an organization to another installation (docs/guides/growing.md): ${commandLine('--organization STEP')}
The steps, in this order:

  source  export ID FILE            stops it and writes FILE and FILE.key; --dry-run instead of FILE counts rows
  target  import FILE               reads both; repeat it after a crash; [--dry-run] [--merge-users]
  source  handover ID RECEIPT URL   gives it up for good; URL is the address of the target
  target  activate ID CODE          accepts requests and sends
  source  delete ID                 removes its rows

  source  release ID                before the handover: cancels the move and sends here again
  target  delete ID                 before the activation: removes the imported rows
`;

/** A statement may read or delete millions of rows. */
const deadlineMs = 24 * 3_600_000;

interface Call {
  pool: Pool;
  config: Config;
  print: (line: string) => void;
  words: string[];
  switches: ReadonlySet<string>;
}

/** Each returns false when its arguments are not as they should be. */
const steps: Record<string, { switches: string[]; run(call: Call): Promise<boolean> }> = {
  export: {
    switches: ['--dry-run'],
    async run({ pool, config, print, words: [id = '', path], switches }) {
      const isDryRun = switches.has('--dry-run');
      if (!isUuid(id) || (path === undefined) !== isDryRun) return false;
      if (path === undefined) {
        const { environmentIds } = await getOrganization(pool, id);
        const counts = await countRows(pool, await planMove(pool, id, environmentIds));
        for (const [table, count] of counts) if (count > 0) print(`  ${table}: ${count} rows`);
        return true;
      }
      const file = pathOf(path);
      if (existsSync(file)) throw new Error(`${path} exists already.`);
      const keyring = await openKeyring(pool, config.CARILLON_ENCRYPTION_KEY, config.CARILLON_DATA_DIR);
      await exportOrganization(pool, keyring, id, file, print);
      print(`Written to ${path} and ${keyFile(path)}. Next, at the target: organization import ${path}`);
      print('Until the handover, `organization release` makes the organization active here again.');
      return true;
    },
  },
  import: {
    switches: ['--dry-run', '--merge-users'],
    async run({ pool, config, print, words: [path], switches }) {
      if (path === undefined) return false;
      const file = pathOf(path);
      const checked = await checkFile(pool, file, switches.has('--merge-users'));
      const { manifest, ending } = checked;
      if (switches.has('--dry-run')) {
        for (const [table, count] of Object.entries(ending.rows)) print(`  ${table}: ${count} rows`);
        print(`${manifest.name} can be imported here.`);
        return true;
      }
      const keyring = await openKeyring(pool, config.CARILLON_ENCRYPTION_KEY, config.CARILLON_DATA_DIR);
      await importOrganization(pool, keyring, file, checked, print);
      print(
        `${manifest.name} is complete here and not active yet. Next, at the source, with the address of this installation:`,
      );
      print(`  organization handover ${manifest.organizationId} ${ending.mac} URL`);
      return true;
    },
  },
  handover: {
    switches: [],
    async run({ pool, print, words: [id = '', receipt, url = ''] }) {
      if (!isUuid(id) || receipt === undefined || !isAddress(url)) return false;
      const { origin } = new URL(url);
      const code = await handOver(pool, id, receipt, origin);
      print(`Requests are answered with 421 and the address ${origin} from now on. Next, at the target:`);
      print(`  organization activate ${id} ${code}`);
      return true;
    },
  },
  activate: {
    switches: [],
    async run({ pool, print, words: [id = '', code] }) {
      if (!isUuid(id) || code === undefined) return false;
      const jobs = await activate(pool, id, code);
      print(
        `The organization is active here; ${jobs} jobs continue. \`organization delete\` removes it at the source.`,
      );
      return true;
    },
  },
  release: {
    switches: [],
    async run({ pool, print, words: [id = ''] }) {
      if (!isUuid(id)) return false;
      print(`The organization is active here again; ${await release(pool, id)} jobs continue.`);
      return true;
    },
  },
  delete: {
    switches: [],
    async run({ pool, print, words: [id = ''] }) {
      if (!isUuid(id)) return false;
      await deleteOrganization(pool, id, print);
      print('The organization is deleted here.');
      return true;
    },
  },
};

/** `npm start -- --organization …`, also `carillon organization …`. */
export const organizationCommand: OperatorCommand = async (config, print, [name = '', ...args]) => {
  const step = Object.hasOwn(steps, name) ? steps[name] : undefined;
  const words = args.filter((arg) => !arg.startsWith('--'));
  const switches = args.filter((arg) => arg.startsWith('--'));
  const isKnown = step !== undefined && switches.every((each) => step.switches.includes(each));
  return withDatabase(
    config,
    print,
    async (pool) => {
      if (isKnown && (await step.run({ pool, config, print, words, switches: new Set(switches) }))) return 0;
      print(usage);
      for (const line of await listOrganizations(pool)) print(line);
      return 1;
    },
    { deadlineMs },
  );
};

async function listOrganizations(pool: Pool): Promise<string[]> {
  const rows = await query<{ id: string; name: string; state: string | null; moved_to: string | null }>(
    pool,
    `select o.id, o.name, m.state, m.moved_to
     from organizations o left join organization_moves m on m.organization_id = o.id order by o.id limit 100`,
  );
  return rows.map(({ id, name, state, moved_to }) => {
    const note = state === null ? '' : ` (${state}${moved_to === null ? '' : ` to ${moved_to}`})`;
    return `  ${id}  ${name}${note}`;
  });
}

/** npm and the CLI run the service in the checkout, and say where they were called. */
function pathOf(path: string): string {
  return resolve(process.env.INIT_CWD ?? '.', path);
}

function isAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
