import { allTasks } from '../tasks.ts';
import { serveTasks } from './serve.ts';

serveTasks(allTasks);
