import { type Pool, transaction } from '../db/sql.ts';
import {
  addUpdate,
  listActive,
  openIncident,
  resolveIncident,
  shown,
} from '../features/providers/incidents/index.ts';
import { isUuid } from '../kernel/ids.ts';
import { commandLine } from '../processes/invocation.ts';
import { type OperatorCommand, recordEverywhere, withDatabase } from './command.ts';

type Print = (line: string) => void;

const longest = { title: 200, message: 2_000 } as const;

/** `npm start -- --open-incident TITLE [MESSAGE]`: shows an incident on the public status page. */
export const openIncidentCommand: OperatorCommand = (config, print, [title = '', message = title]) => {
  const problem = problemOf('title', title) ?? problemOf('message', message);
  if (problem) return refuse(print, problem, '--open-incident "TITLE" ["MESSAGE"]');
  return withDatabase(config, print, async (pool) => {
    const id = await transaction(pool, async (tx) => {
      if ((await listActive(tx)).length >= shown.active) return null;
      const made = await openIncident(tx, { title, message });
      if (made !== null)
        await recordEverywhere(tx, {
          action: 'incident.opened',
          target: `incident:${made}`,
          before: null,
          after: { title, message },
        });
      return made;
    });
    if (id === null) {
      print(`${shown.active} incidents are active, and the status page shows no more. Resolve one first.`);
      return listIncidents(pool, print);
    }
    print(`Incident ${id} is open: GET /status shows it.`);
    return 0;
  });
};

/** `npm start -- --update-incident ID MESSAGE`. */
export const updateIncidentCommand: OperatorCommand = (config, print, [id = '', message = '']) =>
  change(config, print, { id, message, does: 'updated', usage: '--update-incident ID "MESSAGE"' });

/** `npm start -- --resolve-incident ID [MESSAGE]`. */
export const resolveIncidentCommand: OperatorCommand = (config, print, [id = '', message]) =>
  change(config, print, {
    id,
    message: message ?? 'This incident is resolved.',
    does: 'resolved',
    usage: '--resolve-incident ID ["MESSAGE"]',
  });

function change(
  config: Parameters<OperatorCommand>[0],
  print: Print,
  wanted: { id: string; message: string; does: 'updated' | 'resolved'; usage: string },
): Promise<number> {
  const { id, message, does, usage } = wanted;
  return withDatabase(config, print, async (pool) => {
    const problem = isUuid(id) ? problemOf('message', message) : null;
    if (problem) return refuse(print, problem, usage);
    const title = await transaction(pool, async (tx) => {
      if (!isUuid(id)) return null;
      const found = await (does === 'resolved' ? resolveIncident : addUpdate)(tx, id, message);
      if (found !== null)
        await recordEverywhere(tx, {
          action: `incident.${does}`,
          target: `incident:${id}`,
          before: null,
          after: { title: found, message },
        });
      return found;
    });
    if (title === null) {
      print(
        id === '' ? `Which incident? Usage: ${commandLine(usage)}` : `No active incident has the id ${id}.`,
      );
      return listIncidents(pool, print);
    }
    print(`Incident ${id} (${title}) is ${does}.`);
    return 0;
  });
}

async function listIncidents(pool: Pool, print: Print): Promise<number> {
  const active = await listActive(pool);
  print(active.length === 0 ? 'No incident is active.' : 'Active incidents:');
  for (const { id, title } of active) print(`  ${id}  ${title}`);
  return 1;
}

function problemOf(name: keyof typeof longest, text: string): string | null {
  if (text.trim() === '') return `The ${name} is missing.`;
  if (text.length > longest[name]) return `The ${name} must have at most ${longest[name]} characters.`;
  return /\p{Cc}/u.test(text) ? `The ${name} must be one line without control characters.` : null;
}

async function refuse(print: Print, problem: string, usage: string): Promise<number> {
  print(`${problem} Usage: ${commandLine(usage)}`);
  return 2;
}
