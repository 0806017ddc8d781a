/**
 * The setting of connections whose writes pass the fence of a moving organization (migration 0030): those of the operator, and of
 * housekeeping, whose statements delete for all organizations at once. The objects of a moving organization are not deleted on either side.
 */
export const passFence: Readonly<Record<string, string>> = { 'carillon.passes_fence': 'on' };
