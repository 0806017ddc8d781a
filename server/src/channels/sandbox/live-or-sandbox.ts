/**
 * Test never sends: whether an environment calls providers or ends in the sandbox is decided here, before any planner. Two places ask,
 * and make one set of senders for each answer: `channelPlanners` of dispatch and `createDeviceSenders` of push. Planners, carriers and
 * senders are not told the kind of their environment, so none of them can decide otherwise.
 */
export function endsInSandbox(environmentKind: 'test' | 'live'): boolean {
  return environmentKind !== 'live';
}
