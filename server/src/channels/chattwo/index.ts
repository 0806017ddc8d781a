export { chattwoCarriers, createChattwoCarrier, flavourOf, type WebhookFlavour } from './carrier.ts';
