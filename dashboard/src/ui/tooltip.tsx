import { Tooltip as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';
import styles from './tooltip.module.css';

export const TooltipProvider = Primitive.Provider;

/** Adds a hint to a focusable element. Never the only source of an information. */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactNode }) {
  return (
    <Primitive.Root>
      <Primitive.Trigger asChild>{children}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content className={styles.tooltip} sideOffset={6} collisionPadding={8}>
          {text}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
