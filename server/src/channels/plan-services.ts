import type { Clock } from '../kernel/clock.ts';
import type { TaskRunner } from '../kernel/threads/task.ts';
import type { ChatTargets } from './chat-endpoint-plan.ts';
import type { ChatoneTargets } from './chatone/plan.ts';
import type { Carrier } from './contract.ts';
import type { EmailServices } from './email/plan.ts';
import type { Outbound } from './http.ts';
import type { SmsConnections } from './sms/plan.ts';
import type { WebhookTargets } from './webhook/plan.ts';

/** What planners need of the rest of the service. Each channel declares its own part. */
export interface PlanServices {
  clock: Clock;
  outbound: Outbound;
  tasks: TaskRunner;
  publicUrl: () => string;
  /** The carrier of every Test send. */
  sandbox: Carrier;
  email: EmailServices;
  smsConnections: SmsConnections;
  webhookTargets: WebhookTargets;
  chatoneTargets: ChatoneTargets;
  chatTargets: ChatTargets;
}
