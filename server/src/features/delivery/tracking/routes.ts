import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Deps } from '../../../deps.ts';
import { type Route, route } from '../../../http/route.ts';
import { createCache } from '../../../kernel/cache.ts';
import { notFound } from '../../../kernel/errors.ts';
import type { LinkSecrets } from '../../platform/links/index.ts';
import type { ReportWriter } from '../receipts/index.ts';
import { type LinkHit, readClick, readOpen } from './links.ts';

const tag = 'Tracking';
const TokenParams = Type.Object({ token: Type.String() });
/** The provider id of this service's own reports: no provider has it. */
const ourselves = '00000000-0000-0000-0000-000000000000';
/** The longest time that an answer waits for the database, because a person waits for it. A slower write still completes. */
const patienceMs = 250;
const minuteMs = 60_000;
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** Clients that follow links before a person does: scanners and previews. Image proxies of mailboxes are not included. */
const machines =
  /bot\b|crawl|spider|scan|preview|barracuda|mimecast|proofpoint|safelinks|urldefense|facebookexternalhit|whatsapp|curl|wget|python-requests|headless/i;

function isMachine({ method, headers }: FastifyRequest): boolean {
  const purpose = `${headers.purpose ?? ''} ${headers['sec-purpose'] ?? ''} ${headers['x-moz'] ?? ''}`;
  return method === 'HEAD' || /prefetch|preview/i.test(purpose) || machines.test(headers['user-agent'] ?? '');
}

/** The targets of the pixel and the links in tracked email. The signed link is the only authorization: no key, no cookie. */
export function trackingRoutes(
  deps: Pick<Deps, 'log' | 'clock'> & { linkSecrets: LinkSecrets; reportWriter: ReportWriter },
): Route[] {
  const { clock, log, linkSecrets, reportWriter } = deps;
  // The hits that this process has just written: repeated requests cause no load on the database.
  const recent = createCache<true>(10_000, minuteMs);

  /** Repetitions within a minute count once: clients and their proxies request more than once. */
  async function count(
    raw: FastifyRequest,
    type: 'Opened' | 'Clicked',
    hit: LinkHit,
    detail: string | null,
  ): Promise<void> {
    if (isMachine(raw)) return;
    const { environmentId, notificationId } = hit;
    const eventId = `${type} ${notificationId} ${Math.floor(clock() / minuteMs)} ${detail ?? ''}`;
    if (recent.has(eventId)) return;
    recent.set(eventId, true);
    const report = { about: 'notification' as const, notificationId, receipt: { type, detail }, eventId };
    const written = reportWriter
      .record({ environmentId, providerId: ourselves, channel: 'email', reports: [report] })
      .catch((error) => {
        recent.delete(eventId);
        log.warn({ err: error, request_id: raw.id }, 'failed to record an open or a click');
      });
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs);
    });
    await Promise.race([written, patience]);
    clearTimeout(timer);
  }

  return [
    route({
      method: 'GET',
      path: '/t/o/:token',
      operation: 'trackOpen',
      tag,
      summary: 'Load the pixel of a tracked email',
      description: 'A transparent image; loading it records the event Opened.',
      access: 'public',
      params: TokenParams,
      responses: { 200: Type.String({ contentMediaType: 'image/gif' }) },
      async handler({ params, raw }) {
        const hit = await readOpen(linkSecrets, params.token);
        if (!hit) throw notFound('link');
        await count(raw, 'Opened', hit, null);
        return { status: 200, body: pixel, contentType: 'image/gif' };
      },
    }),
    route({
      method: 'GET',
      path: '/t/c/:token',
      operation: 'trackClick',
      tag,
      summary: 'Follow a link in a tracked email',
      description: 'Redirects to the original URL and records the event Clicked.',
      access: 'public',
      params: TokenParams,
      responses: { 302: null },
      async handler({ params, raw }) {
        const hit = await readClick(linkSecrets, params.token);
        if (!hit) throw notFound('link');
        await count(raw, 'Clicked', hit, hit.url);
        return {
          status: 302,
          headers: {
            location: new URL(hit.url).href,
            'referrer-policy': 'no-referrer',
            'x-robots-tag': 'noindex',
          },
        };
      },
    }),
  ];
}
