/** A test compares both with package.json. */
export const version = '0.1.0';
export const packageName = '@carillon/server';
