import type { Template } from '@carillon/sdk';
import { templates } from '../../strings/templates.ts';
import { Button, Dialog, useToast } from '../../ui/index.ts';
import { Changes, contentChanges } from './changes.tsx';
import { contentOf } from './content.ts';
import type { Draft } from './use-draft.ts';
import type { Save } from './use-save.ts';

const text = templates.conflict;

/** Two people edited the same template: the dialog shows both versions, and neither is lost before the choice. */
export function ConflictDialog({ theirs, draft, save }: { theirs: Template; draft: Draft; save: Save }) {
  const toast = useToast();
  const close = () => save.setConflict(null);
  return (
    <Dialog
      open
      wide
      onOpenChange={close}
      title={text.title}
      description={text.text(theirs.version, draft.version)}
      foot={
        <>
          <Button onClick={close}>{text.keepEditing}</Button>
          <Button
            onClick={() => {
              draft.rebase(theirs);
              close();
              toast.say(text.taken(theirs.version));
            }}
          >
            {text.takeTheirs}
          </Button>
          <Button variant="danger" busy={save.isPending} onClick={() => save.overwrite(theirs.version)}>
            {text.overwrite}
          </Button>
        </>
      }
    >
      <Changes
        changes={contentChanges(contentOf(theirs), draft.content)}
        names={{ before: text.theirs(theirs.version), after: text.mine }}
      />
    </Dialog>
  );
}
