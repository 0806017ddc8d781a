export { subscriptionEraser } from './eraser.ts';
export { tidyTopics } from './housekeeping.ts';
export { audienceRoutes } from './routes.ts';
export { createTopicService } from './topics-service.ts';
