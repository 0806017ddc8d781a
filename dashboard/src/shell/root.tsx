import { Outlet } from '@tanstack/react-router';
import { useConnectionLost } from '../api/connection.ts';
import { common } from '../strings/common.ts';
import { Icon } from '../ui/index.ts';
import styles from './root.module.css';

/** Wraps every page including the sign-in, and shows when the service does not respond. */
export function Root() {
  const isLost = useConnectionLost();
  return (
    <div className={isLost ? styles.lost : undefined}>
      <div role="status">
        {isLost && (
          <div className={styles.bar}>
            <Icon name="warning" size={14} />
            {common.connectionLost}
          </div>
        )}
      </div>
      <Outlet />
    </div>
  );
}
