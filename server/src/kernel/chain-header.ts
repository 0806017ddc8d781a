/** Carries the chain of workflow runs through webhooks and calls; a trigger that brings it back continues the chain. */
export const chainHeader = 'carillon-chain';
