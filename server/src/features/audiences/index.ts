export { Audience } from './audience-schema.ts';
export { subscriptionEraser } from './eraser.ts';
export { type CheckedFilter, readAudience } from './filter.ts';
export { tidyTopics } from './housekeeping.ts';
export {
  type AudienceMember,
  type AudienceSlice,
  checkConfirmed,
  checkTopics,
  countAudience,
  countMembers,
  firstMember,
  isEverybody,
  listMembers,
  sampleMembers,
} from './members.ts';
export { audienceRoutes } from './routes.ts';
export { createTopicService } from './topics-service.ts';
