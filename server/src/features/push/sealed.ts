import { sealedText } from '../../db/reseal.ts';
import { addressContext } from './address.ts';

export const deviceSealedColumns = [
  sealedText(
    { table: 'devices', key: 'id', also: ['environment_id', 'identity'], column: 'address' },
    // PostgreSQL shows bytes as `\x` and hexadecimal digits.
    ({ environment_id = '', identity = '' }) => addressContext(environment_id, identity.slice(2)),
  ),
];
