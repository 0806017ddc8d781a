/** 75 is EX_TEMPFAIL of sysexits.h: the same command may work later. */
export const exitCodes = { failure: 1, badSettings: 2, databaseLost: 75 } as const;
