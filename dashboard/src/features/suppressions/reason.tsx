import type { Suppression } from '@carillon/sdk';
import { suppressions as text } from '../../strings/suppressions.ts';
import { Badge, type Tone } from '../../ui/index.ts';

type Reason = Suppression['reason'];

const looks: Record<Reason, [Tone, 'diamond' | 'square' | 'dot' | 'hollow']> = {
  hard_bounce: ['red', 'diamond'],
  complaint: ['amber', 'square'],
  manual_add: ['grey', 'dot'],
  unsubscribed: ['violet', 'hollow'],
};
export const reasons = Object.keys(looks) as Reason[];

export function ReasonBadge({ reason }: { reason: Reason }) {
  const [tone, shape] = looks[reason];
  return (
    <Badge tone={tone} shape={shape}>
      {text.reasons[reason] ?? reason}
    </Badge>
  );
}
