import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react';
import { common } from '../strings/common.ts';
import { IconButton } from './button.tsx';
import { classes } from './classes.ts';
import { describeError } from './error.ts';
import { Icon } from './icons.tsx';
import styles from './toast.module.css';

interface Toast {
  id: number;
  text: string;
  detail: string | null;
  isBad: boolean;
}

interface Toaster {
  say(text: string): void;
  error(error: unknown): void;
}

const ToastContext = createContext<Toaster | null>(null);

export function useToast(): Toaster {
  const toaster = useContext(ToastContext);
  if (!toaster) throw new Error('There is no place for messages around this.');
  return toaster;
}

/** Short messages in the corner. Success disappears after a while; an error stays until it is closed. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const next = useRef(1);
  const close = useCallback((id: number) => setToasts((all) => all.filter((each) => each.id !== id)), []);
  const toaster = useMemo<Toaster>(() => {
    const show = (toast: Omit<Toast, 'id'>) => {
      const id = next.current++;
      setToasts((all) => [...all.slice(-3), { ...toast, id }]);
      if (!toast.isBad) setTimeout(() => close(id), 5000);
    };
    return {
      say: (text) => show({ text, detail: null, isBad: false }),
      error: (error) => show({ ...describeError(error), isBad: true }),
    };
  }, [close]);
  return (
    <ToastContext value={toaster}>
      {children}
      <div className={styles.region} role="status" aria-live="polite">
        {toasts.map((toast) => (
          <div key={toast.id} className={classes(styles.toast, toast.isBad && styles.bad)}>
            <Icon name={toast.isBad ? 'warning' : 'check'} />
            <div className={styles.text}>
              {toast.text}
              {toast.detail && <div className={styles.small}>{toast.detail}</div>}
            </div>
            <IconButton label={common.close} icon="close" size="small" onClick={() => close(toast.id)} />
          </div>
        ))}
      </div>
    </ToastContext>
  );
}
