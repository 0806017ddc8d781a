/**
 * The setting of connections whose writes pass the fence of a moving organization (migration 0030): those of the operator, and of
 * housekeeping, whose statements delete for all organizations at once. What they change at the source, the target changes too.
 */
export const passFence: Readonly<Record<string, string>> = { 'carillon.passes_fence': 'on' };
