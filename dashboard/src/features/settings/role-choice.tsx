import { team } from '../../strings/settings.ts';
import { Radio } from '../../ui/index.ts';
import type { Role } from './members.ts';
import styles from './settings.module.css';

export function RoleChoice(props: { roles: Role[]; value: Role; onChange(role: Role): void }) {
  const { roles, value, onChange } = props;
  return (
    <fieldset className={styles.group}>
      <legend>{team.role}</legend>
      {roles.map((role) => (
        <Radio
          key={role}
          name="role"
          label={team.roles[role]}
          hint={team.roleHints[role]}
          checked={value === role}
          onChange={() => onChange(role)}
        />
      ))}
    </fieldset>
  );
}
