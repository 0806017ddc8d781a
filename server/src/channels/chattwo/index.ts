export { createChattwoCarrier } from './carrier.ts';
export { cardMessage } from './shape.ts';
export { type Flavour, flavourOf } from './url.ts';
