export { chattwoCarriers, createChattwoCarrier } from './carrier.ts';
export { flavourOf, type WebhookFlavour } from './url.ts';
