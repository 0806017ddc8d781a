import { common } from '../../strings/common.ts';
import { team } from '../../strings/settings.ts';
import { Card, type Column, Icon, Table } from '../../ui/index.ts';
import { roles } from './members.ts';
import styles from './settings.module.css';

type Ability = (typeof team.abilities)[number];

const columns: Column<Ability>[] = [
  { header: team.ability, cell: ([what]) => what },
  ...roles.map((role) => ({
    header: team.roles[role],
    cell: ([, who]: Ability) => <Mark isOn={who.includes(role)} />,
  })),
];

export function RolesCard() {
  return (
    <Card title={team.whatRoles} flush>
      <Table label={team.whatRoles} columns={columns} rows={team.abilities} rowKey={([what]) => what} />
    </Card>
  );
}

function Mark({ isOn }: { isOn: boolean }) {
  return (
    <span className={isOn ? styles.yes : styles.no}>
      <Icon name={isOn ? 'check' : 'close'} />
      <span className="visually-hidden">{isOn ? common.yes : common.no}</span>
    </span>
  );
}
