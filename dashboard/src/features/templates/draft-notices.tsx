import { templates as text } from '../../strings/templates.ts';
import { Button, describeError, Notice } from '../../ui/index.ts';
import type { BodyLocation } from './content.ts';
import { type BodyProblem, problemOf } from './problem.ts';
import type { Draft } from './use-draft.ts';
import type { Save } from './use-save.ts';

/** The error of a save, restored changes, and a newer version. */
export function DraftNotices(props: {
  draft: Draft;
  save: Save;
  onGoTo(place: BodyLocation, problem: BodyProblem | null): void;
}) {
  const { draft, save, onGoTo } = props;
  const { newer } = draft;
  const { place, error } = save;
  return (
    <>
      {error !== null && error !== undefined && (
        <Notice
          tone="red"
          action={
            place && (
              <Button size="small" onClick={() => onGoTo(place, problemOf(error))}>
                {text.goThere}
              </Button>
            )
          }
        >
          <strong>{text.notSaved}</strong> {place && `${text.bodyOf(place.channel, place.locale)}: `}
          {problemOf(error)?.message ?? describeError(error).text}
        </Notice>
      )}
      {draft.isRestored && (
        <Notice
          action={
            <Button size="small" onClick={draft.discard}>
              {text.discard}
            </Button>
          }
        >
          {text.restored}
        </Notice>
      )}
      {newer && (
        <Notice
          tone="amber"
          action={
            <Button size="small" onClick={() => save.setConflict(newer)}>
              {text.compare}
            </Button>
          }
        >
          {text.newer(newer.version)}
        </Notice>
      )}
    </>
  );
}
