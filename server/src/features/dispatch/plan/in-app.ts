import type { InAppMessage } from '../../../channels/contract.ts';
import { htmlProblem, inboxCarrier, isSafeLink, sanitizeTask } from '../../../channels/in-app/index.ts';
import { createSandboxCarrier, type SandboxStore } from '../../../channels/sandbox/index.ts';
import type { Deps } from '../../../deps.ts';
import { type TaskRunner, TaskStopped } from '../../../kernel/threads/task.ts';
import type { NewItem } from '../../inbox/index.ts';
import type { DispatchFact } from '../store.ts';
import type { ChannelPlanner } from './delivery-plan.ts';

/** The in_app channel: the user's inbox, in Test and in Live; in Test the sandbox keeps a copy. */
export function createInAppPlanner(
  deps: Pick<Deps, 'clock'> & { tasks: TaskRunner; sandboxStore: SandboxStore },
): ChannelPlanner {
  const sandbox = createSandboxCarrier('sandbox', deps.sandboxStore, deps.clock);
  return {
    prepare: () => async (fact) => {
      const problem = fact.html_body === null ? null : htmlProblem(fact.html_body);
      if (problem) return { reason: 'content_refused', problem: `The HTML ${problem}.` };
      const html = await sanitized(deps.tasks, fact).catch((error: unknown) => {
        if (error instanceof TaskStopped) return error;
        throw error;
      });
      if (html instanceof TaskStopped)
        return { reason: 'content_refused', problem: `The HTML cannot be sanitised: ${html.message}.` };
      const item = itemOf(fact, html);
      return {
        carriers: [fact.environment_kind === 'test' ? sandbox : inboxCarrier],
        item,
        message: (attempt): InAppMessage => ({
          channel: 'in_app',
          notificationId: fact.id,
          environmentId: fact.environment_id,
          attempt,
          to: { address: item.externalUserId, name: fact.recipient_name },
          subject: item.subject,
          html: item.htmlBody,
          text: item.textBody,
          actionUrl: item.actionUrl,
          data: item.data,
        }),
      };
    },
  };
}

/** HTML is sanitized on the way in and not on display, so every reader of the feed can rely on it. */
async function sanitized(tasks: TaskRunner, fact: DispatchFact): Promise<string | null> {
  return fact.html_body === null ? null : tasks.run(sanitizeTask, fact.environment_id, fact.html_body);
}

function itemOf(fact: DispatchFact, html: string | null): NewItem {
  return {
    id: fact.id,
    environmentId: fact.environment_id,
    externalUserId: fact.external_user_id ?? fact.address ?? '',
    subject: fact.subject,
    htmlBody: html,
    textBody: fact.text_body,
    actionUrl: fact.action_url !== null && isSafeLink(fact.action_url) ? fact.action_url : null,
    data: fact.template_data,
  };
}
