import { mimeTask } from './channels/email/mime.ts';
import { mjmlTask } from './channels/email/mjml.ts';
import { textTask } from './channels/email/text.ts';
import { requestTask } from './channels/http-kind/request.ts';
import { sanitizeTask } from './channels/in-app/sanitize.ts';
import {
  decisionTask,
  definitionTask,
  matchTask,
  simulationTask,
  triggerDataTask,
  validationTask,
} from './engine/tasks.ts';
import { partCheckTask } from './features/content/parts/tasks.ts';
import {
  draftPreviewTask,
  inlineCheckTask,
  templateCheckTask,
  templatePreviewTask,
  templateRenderTask,
} from './features/content/templates/tasks.ts';
import { messageTask } from './features/smtp-in/tasks.ts';
import { bodyHashTask, bodyTask } from './http/json.ts';

/** Table: the tasks that may run in a thread. */
export const allTasks = [
  bodyTask,
  bodyHashTask,
  textTask,
  sanitizeTask,
  mimeTask,
  messageTask,
  requestTask,
  definitionTask,
  triggerDataTask,
  validationTask,
  decisionTask,
  simulationTask,
  matchTask,
  templateCheckTask,
  inlineCheckTask,
  templatePreviewTask,
  draftPreviewTask,
  templateRenderTask,
  partCheckTask,
  mjmlTask,
] as const;
