import type { Command } from './command.ts';
import { brakeCommands } from './commands/brake.ts';
import { broadcastCommands } from './commands/broadcast.ts';
import { bulkActionCommands } from './commands/bulk-actions.ts';
import { completion } from './commands/completion.ts';
import { configurationCommands } from './commands/configuration.ts';
import { deviceCommands } from './commands/devices.ts';
import { doctor } from './commands/doctor.ts';
import { get } from './commands/get.ts';
import { createKey, listKeys, revokeKey, rotateKey } from './commands/keys.ts';
import { login } from './commands/login.ts';
import { logout } from './commands/logout.ts';
import { preferenceLink } from './commands/preferences.ts';
import { promoteCommands } from './commands/promote.ts';
import { demo, organization, simulators, start } from './commands/repository.ts';
import { scheduleCommands } from './commands/schedules.ts';
import { send } from './commands/send.ts';
import { simulate } from './commands/simulate.ts';
import { suppressionCommands } from './commands/suppressions.ts';
import { tail } from './commands/tail.ts';
import { topicCommands } from './commands/topics.ts';
import { trace } from './commands/trace.ts';
import { userCommands } from './commands/users.ts';
import { webhookCommands } from './commands/webhooks.ts';
import { workflowCommands } from './commands/workflows.ts';

/** Every command, in the order of the help. A new one is a file and a line here. */
export const commands: readonly Command[] = [
  start,
  demo,
  simulators,
  organization,
  login,
  logout,
  send,
  tail,
  get,
  trace,
  ...bulkActionCommands,
  ...broadcastCommands,
  ...userCommands,
  ...topicCommands,
  preferenceLink,
  ...suppressionCommands,
  ...deviceCommands,
  listKeys,
  createKey,
  rotateKey,
  revokeKey,
  ...brakeCommands,
  ...configurationCommands,
  ...promoteCommands,
  ...workflowCommands,
  simulate,
  ...scheduleCommands,
  ...webhookCommands,
  doctor,
  completion(() => commands),
];
