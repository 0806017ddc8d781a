import { sealedText } from '../../db/reseal.ts';
import { newLinkSecret } from './secrets.ts';

export const linkSealedColumns = [
  sealedText(
    { table: 'unsubscribe_secrets', key: 'environment_id', column: 'sealed_secret', remake: newLinkSecret },
    ({ environment_id }) => `unsubscribe:${environment_id}`,
  ),
];
