export { type CheckedFilter, readAudience } from './filter.ts';
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
  subscriptionEraser,
} from './members.ts';
export { audienceRoutes } from './routes.ts';
export { Audience } from './schema.ts';
export { tidyTopics } from './store.ts';
export { createTopicService } from './topics-service.ts';
