import { useBlocker } from '@tanstack/react-router';
import { common } from '../strings/common.ts';
import { Button, Dialog } from '../ui/index.ts';

/** Asks before a page with unsaved changes is left by a link, the back button or closing the window. */
export function UnsavedGuard({ when }: { when: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => when && current.pathname !== next.pathname,
    enableBeforeUnload: when,
    withResolver: true,
  });
  return (
    <Dialog
      open={status === 'blocked'}
      onOpenChange={() => reset?.()}
      title={common.unsaved}
      foot={
        <>
          <Button onClick={() => reset?.()}>{common.stay}</Button>
          <Button variant="danger" onClick={() => proceed?.()}>
            {common.leaveAnyway}
          </Button>
        </>
      }
    />
  );
}
