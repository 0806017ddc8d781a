import { serveTasks } from './kernel/threads/serve.ts';
import { allTasks } from './tasks.ts';

serveTasks(allTasks);
