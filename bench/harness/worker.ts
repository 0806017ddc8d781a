import { serve } from './serve.ts';

/** The service as it is; its settings choose the roles. */
await serve();
