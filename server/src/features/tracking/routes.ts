import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Report } from '../../channels/contract.ts';
import type { Deps } from '../../deps.ts';
import { type Route, route } from '../../http/route.ts';
import { createCache } from '../../kernel/cache.ts';
import { notFound } from '../../kernel/errors.ts';
import { createLinkSecrets } from '../links/index.ts';
import { type LinkHit, readClick, readOpen } from './links.ts';

/** Takes what was seen to where providers' reports go. */
export interface HitRecorder {
  record(telling: {
    environmentId: string;
    providerId: string;
    channel: 'email';
    reports: readonly Report[];
  }): Promise<unknown>;
}

const tag = 'Tracking';
const TokenParams = Type.Object({ token: Type.String() });
/** Ours: no provider has this id. */
const ourselves = '00000000-0000-0000-0000-000000000000';
/** How long an answer waits for the database; people wait for it. What takes longer is still written. */
const patienceMs = 250;
const minuteMs = 60_000;
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** Programs that follow links before a person does: scanners, previews. Image proxies of mailboxes are not among them. */
const machines =
  /bot\b|crawl|spider|scan|preview|barracuda|mimecast|proofpoint|safelinks|urldefense|facebookexternalhit|whatsapp|curl|wget|python-requests|headless/i;

function isMachine({ method, headers }: FastifyRequest): boolean {
  const purpose = `${headers.purpose ?? ''} ${headers['sec-purpose'] ?? ''} ${headers['x-moz'] ?? ''}`;
  return method === 'HEAD' || /prefetch|preview/i.test(purpose) || machines.test(headers['user-agent'] ?? '');
}

/** What the pixel and the links in tracked email lead to. No key, no cookie: the signed link is all there is. */
export function trackingRoutes(
  deps: Pick<Deps, 'pool' | 'keyring' | 'log' | 'clock'>,
  recorder: HitRecorder,
): Route[] {
  const { clock, log } = deps;
  const secrets = createLinkSecrets(deps);
  // What this process has just written: somebody who asks all the time does not keep the database busy.
  const recent = createCache<true>(10_000, minuteMs);

  /** Repetitions within a minute are one: clients and their proxies ask more than once. */
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
    const written = recorder
      .record({ environmentId, providerId: ourselves, channel: 'email', reports: [report] })
      .catch((error) => {
        recent.delete(eventId);
        log.warn({ err: error, request_id: raw.id }, 'an open or a click could not be recorded');
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
      summary: 'The pixel of a tracked email',
      description: 'A transparent image; that it is asked for is recorded as the event Opened.',
      access: 'public',
      params: TokenParams,
      responses: { 200: Type.String({ contentMediaType: 'image/gif' }) },
      async handler({ params, raw }) {
        const hit = await readOpen(secrets, params.token);
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
      summary: 'A link in a tracked email',
      description: 'Leads on to where the email meant it to, and records the event Clicked.',
      access: 'public',
      params: TokenParams,
      responses: { 302: null },
      async handler({ params, raw }) {
        const hit = await readClick(secrets, params.token);
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
