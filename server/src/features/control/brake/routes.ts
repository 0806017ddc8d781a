import { type Route, route } from '../../../http/route.ts';
import type { Holds } from './holds.ts';
import {
  BrakeStatus,
  Freeze,
  FreezeInput,
  HoldList,
  HoldParams,
  HoldPreview,
  Release,
  ReleaseInput,
  ReleasePage,
  ReleaseParams,
  ReleaseQuery,
  Rule,
  RuleInput,
  RuleList,
  RuleParams,
  UnfreezeInput,
} from './schema.ts';
import type { BrakeService } from './service.ts';

const tag = 'Brake';

export function brakeRoutes({ brakeService, holds }: { brakeService: BrakeService; holds: Holds }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/brake',
      operation: 'getBrake',
      tag,
      summary: 'Get the state of the brake',
      description:
        'Freezes, the rules that stop notifications at present, how much is held, and running releases.',
      access: 'brake:read',
      responses: { 200: BrakeStatus },
      async handler({ principal }) {
        return { status: 200, body: await brakeService.status(principal) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/brake/rules',
      operation: 'listBrakeRules',
      tag,
      summary: 'List the rules',
      description: 'All rules in one page, by key; default rules included.',
      access: 'brake:read',
      responses: { 200: RuleList },
      async handler({ principal }) {
        return { status: 200, body: { data: await brakeService.listRules(principal), next_cursor: null } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/brake/rules/:key',
      operation: 'getBrakeRule',
      tag,
      summary: 'Get a rule',
      access: 'brake:read',
      params: RuleParams,
      responses: { 200: Rule },
      async handler({ principal, params }) {
        return { status: 200, body: await brakeService.getRule(principal, params.key) };
      },
    }),
    route({
      method: 'PUT',
      path: '/v1/brake/rules/:key',
      operation: 'putBrakeRule',
      tag,
      summary: 'Create or replace a rule',
      description:
        'The rule holds in every process within a second. Fields that are left out get their defaults. A rule with the key of a default rule replaces it.',
      access: 'brake:write',
      params: RuleParams,
      body: RuleInput,
      responses: { 201: Rule, 200: Rule },
      errors: ['brake_limit_reached'],
      async handler({ principal, params, body, requestId }) {
        const { rule, isNew } = await brakeService.putRule({ principal, requestId }, params.key, body);
        return { status: isNew ? 201 : 200, body: rule };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/brake/rules/:key',
      operation: 'deleteBrakeRule',
      tag,
      summary: 'Delete a rule',
      description:
        'What the rule holds stays held until you release or cancel it, or until it expires. A default rule that it replaced is in force again.',
      access: 'brake:write',
      params: RuleParams,
      responses: { 204: null },
      errors: ['brake_rule_default'],
      async handler({ principal, params, requestId }) {
        await brakeService.deleteRule({ principal, requestId }, params.key);
        return { status: 204 };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/brake/freeze',
      operation: 'freeze',
      tag,
      summary: 'Freeze the environment or a channel',
      description:
        'Everything but critical notifications is held within two seconds, in every process. New sends are still accepted. Returns 201, or 200 when it was frozen already.',
      access: 'brake:write',
      body: FreezeInput,
      bodyOptional: true,
      responses: { 201: Freeze, 200: Freeze },
      async handler({ principal, body, requestId }) {
        const { freeze, isNew } = await brakeService.freeze({ principal, requestId }, body);
        return { status: isNew ? 201 : 200, body: freeze };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/brake/unfreeze',
      operation: 'unfreeze',
      tag,
      summary: 'Unfreeze the environment or a channel',
      description:
        'Releases what the freeze held, the oldest first and paced. To drop it instead, cancel the hold before you unfreeze.',
      access: 'brake:write',
      body: UnfreezeInput,
      bodyOptional: true,
      responses: { 202: Release },
      errors: ['resource_not_found', 'brake_cancelling'],
      async handler({ principal, body, requestId }) {
        return {
          status: 202,
          body: await brakeService.unfreeze({ principal, requestId }, body.channel ?? null),
        };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/brake/holds',
      operation: 'listHolds',
      tag,
      summary: 'List what is held',
      description: 'One entry for each rule or freeze that holds notifications, with the oldest of them.',
      access: 'brake:read',
      responses: { 200: HoldList },
      async handler({ principal }) {
        const data = await holds.list(principal.environmentId, principal.environmentKind);
        return { status: 200, body: { data, next_cursor: null } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/brake/holds/:hold',
      operation: 'previewHold',
      tag,
      summary: 'Preview what a release would send',
      description: 'How many notifications, to how many recipients, and the messages of the oldest five.',
      access: 'brake:read',
      params: HoldParams,
      responses: { 200: HoldPreview },
      async handler({ principal, params }) {
        const { environmentId, environmentKind } = principal;
        return { status: 200, body: await holds.preview(environmentId, environmentKind, params.hold) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/brake/holds/:hold/release',
      operation: 'releaseHold',
      tag,
      summary: 'Release or cancel what is held',
      description:
        'Works on what is held now, at most 500 a second for each release. Preferences and suppressions are checked again when a notification is sent. Each notification is released once, however many releases run.',
      access: 'brake:write',
      params: HoldParams,
      body: ReleaseInput,
      responses: { 202: Release },
      errors: ['brake_limit_reached', 'brake_frozen', 'brake_cancelling'],
      async handler({ principal, params, body, requestId }) {
        return { status: 202, body: await brakeService.release({ principal, requestId }, params.hold, body) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/brake/releases',
      operation: 'listReleases',
      tag,
      summary: 'List releases',
      access: 'brake:read',
      query: ReleaseQuery,
      responses: { 200: ReleasePage },
      async handler({ principal, query }) {
        return { status: 200, body: await brakeService.listReleases(principal, query) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/brake/releases/:id',
      operation: 'getRelease',
      tag,
      summary: 'Get a release with its progress',
      access: 'brake:read',
      params: ReleaseParams,
      responses: { 200: Release },
      async handler({ principal, params }) {
        return { status: 200, body: await brakeService.getRelease(principal, params.id) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/brake/releases/:id/stop',
      operation: 'stopRelease',
      tag,
      summary: 'Stop a release',
      description: 'What it has not released yet stays held.',
      access: 'brake:write',
      params: ReleaseParams,
      responses: { 200: Release },
      async handler({ principal, params, requestId }) {
        return { status: 200, body: await brakeService.stopRelease({ principal, requestId }, params.id) };
      },
    }),
  ];
}
