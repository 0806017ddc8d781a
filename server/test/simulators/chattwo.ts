import { randomBytes } from 'node:crypto';
import { createBuckets } from './bucket.ts';
import { type Answer, type HttpSimulator, type ReceivedCall, startHttpSimulator } from './http-simulator.ts';

/** A card that a flow accepted, and its result inside the flow, which the caller does not learn. */
interface ChattwoRun {
  flow: string;
  body: unknown;
  result: 'posted' | 'failed';
}

interface ChattwoFlow {
  id: string;
  sig: string;
  state: 'on' | 'off' | 'tenant_only';
  /** Accepted by CARILLON_CHATTWO_URL_PATTERNS when it allows this host. */
  url: string;
}

interface ChattwoSimulatorOptions {
  port?: number;
  burst?: number;
  everyMs?: number;
}

export interface ChattwoSimulator extends HttpSimulator {
  runs: ChattwoRun[];
  addFlow(variant?: 'A' | 'B'): ChattwoFlow;
  /** The setting CARILLON_CHATTWO_URL_PATTERNS. */
  patterns: string;
}

const maxCardBytes = 28_672;

/** chattwo (Teams workflows) on a real socket, old and new form of the URL. Answers 202 to everything that the trigger can read. */
export async function startChattwoSimulator(
  options: ChattwoSimulatorOptions = {},
): Promise<ChattwoSimulator> {
  const flows = new Map<string, ChattwoFlow>();
  const bucketOf = createBuckets(options.burst ?? 60, options.everyMs ?? 500);

  function handle(request: ReceivedCall): Answer {
    const id = /\/workflows\/(\w+)\/triggers\/manual\/paths\/invoke$/.exec(request.path)?.[1];
    const flow = flows.get(id ?? '');
    if (request.method !== 'POST' || !flow || flow.state === 'off')
      return { status: 404, body: { error: { code: 'WorkflowTriggerIsNotEnabled' } } };
    if (request.query.get('sig') !== flow.sig || flow.state === 'tenant_only')
      return { status: 401, body: { error: { code: 'DirectApiAuthorizationRequired' } } };
    const waitMs = bucketOf(flow.id).take(Date.now());
    if (waitMs > 0) return { status: 429, headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) } };
    if (!request.headers['content-type']?.startsWith('application/json'))
      return { status: 400, body: { error: { code: 'TriggerInputSchemaMismatch' } } };
    let body: unknown;
    try {
      body = JSON.parse(request.text);
    } catch {
      return { status: 400, body: { error: { code: 'InvalidRequestContent' } } };
    }
    const result = isCardMessage(body) && request.text.length <= maxCardBytes ? 'posted' : 'failed';
    base.runs.push({ flow: flow.id, body, result });
    return { status: 202, headers: { 'x-ms-workflow-run-id': randomBytes(8).toString('hex') }, body: '' };
  }

  const started = await startHttpSimulator({ ...(options.port ? { port: options.port } : {}), handle });
  const root = started.url.replaceAll('.', '\\.');
  const base: ChattwoSimulator = Object.assign(started, {
    runs: [],
    patterns: `A=${root}/workflows/.+,B=${root}/powerautomate/.+`,
    addFlow(variant: 'A' | 'B' = 'B') {
      const id = randomBytes(8).toString('hex');
      const sig = randomBytes(24).toString('base64url');
      const path = variant === 'A' ? '' : '/powerautomate/automations/direct';
      const version = variant === 'A' ? '2016-06-01' : '1';
      const url = `${started.url}${path}/workflows/${id}/triggers/manual/paths/invoke?api-version=${version}&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=${sig}`;
      const flow: ChattwoFlow = { id, sig, state: 'on', url };
      flows.set(id, flow);
      return flow;
    },
  });
  return base;
}

/** The fields that the flow's own steps need; without them the run fails after the caller has got 202. */
function isCardMessage(body: unknown): boolean {
  const { type, attachments } = (body ?? {}) as { type?: unknown; attachments?: unknown };
  if (type !== 'message' || !Array.isArray(attachments) || attachments.length === 0) return false;
  return attachments.every(({ contentType, content }) => {
    const card = (content ?? {}) as { type?: unknown; version?: unknown };
    return (
      contentType === 'application/vnd.microsoft.card.adaptive' &&
      card.type === 'AdaptiveCard' &&
      typeof card.version === 'string'
    );
  });
}
