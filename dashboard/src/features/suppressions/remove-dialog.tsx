import type { Suppression } from '@carillon/sdk';
import { usePlace } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { suppressions as text } from '../../strings/suppressions.ts';
import { ConfirmDialog, FormError, Notice, Stack } from '../../ui/index.ts';
import { ReasonBadge } from './reason.tsx';

/** What the removal risks depends on why the address is here; bounces and complaints are the ones to think about twice. */
export function RemoveDialog({ suppression, onClose }: { suppression: Suppression; onClose(): void }) {
  const { address, reason } = suppression;
  const { kind } = usePlace();
  const remove = useWrite((api) => api.suppressions.remove(address), {
    changes: [['suppressions']],
    done: text.removed(address),
    quiet: true,
    onDone: onClose,
  });
  const isRisky = reason !== 'manual_add';
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={text.removeTitle(address)}
      confirm={text.removeConfirm}
      onConfirm={() => remove.mutate()}
      busy={remove.isPending}
      danger={isRisky}
      {...(kind === 'live' && isRisky ? { word: address } : {})}
    >
      <Stack>
        <FormError error={remove.error} />
        <div>
          <ReasonBadge reason={reason} />
        </div>
        {isRisky ? (
          <Notice tone="amber">{text.removeTexts[reason]}</Notice>
        ) : (
          <p>{text.removeTexts[reason]}</p>
        )}
        <p>{text.audited}</p>
      </Stack>
    </ConfirmDialog>
  );
}
