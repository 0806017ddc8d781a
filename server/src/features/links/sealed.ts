import { sealedText } from '../../db/reseal.ts';

export const linkSealedPlaces = [
  sealedText(
    { table: 'unsubscribe_secrets', key: 'environment_id', column: 'sealed_secret' },
    ({ environment_id }) => `unsubscribe:${environment_id}`,
  ),
];
