import { statement } from '../../db/sql.ts';
import { type Eraser, isAliasSql, wholeSlice } from '../users/index.ts';

const isOfPerson = `environment_id = $1 and (external_user_id = $2 or ${isAliasSql('external_user_id', '$3')})`;

const deleteDevices = statement('push_erase_devices', `delete from devices where ${isOfPerson} and id < $4`);
const deletePresences = statement('push_erase_presences', `delete from inbox_presences where ${isOfPerson}`);

/** A user has at most a hundred devices: one slice is enough. */
export const deviceEraser: Eraser = {
  async erase(tx, { environmentId, externalUserId, aliases, before }) {
    await deleteDevices(tx, [environmentId, externalUserId, aliases, before]);
    await deletePresences(tx, [environmentId, externalUserId, aliases]);
    return wholeSlice;
  },
};
