import { sealedText } from '../../db/reseal.ts';
import { keyContext } from './keys-service.ts';

export const inboxSealedPlaces = [
  sealedText({ table: 'inbox_keys', key: 'id', column: 'sealed_key' }, ({ id = '' }) => keyContext(id)),
];
