import { sealedText } from '../../db/reseal.ts';
import { keyContext, newSigningKey } from './keys-service.ts';

export const inboxSealedColumns = [
  sealedText({ table: 'inbox_keys', key: 'id', column: 'sealed_key', remake: newSigningKey }, ({ id = '' }) =>
    keyContext(id),
  ),
];
