export { createChattwoCarrier } from './carrier.ts';
export { cardMessage } from './shape.ts';
export { flavourOf, type WebhookFlavour } from './url.ts';
