import type { Overview } from '@carillon/sdk';
import { overview as text } from '../../strings/overview.ts';
import { formatCount, Sparkline, type Tone } from '../../ui/index.ts';
import { ListLink } from './list-link.tsx';
import styles from './overview.module.css';
import { awaitingReport } from './sent.ts';

/** In the order of the lifecycle, failures last. `accepted` is not a status: it counts all notifications. */
const tiles = [
  ['accepted', 'blue'],
  ['sent', 'blue'],
  ['delivered', 'green'],
  ['failed', 'red'],
  ['bounced', 'red'],
  ['suppressed', 'amber'],
  ['complained', 'violet'],
] as const satisfies [keyof Overview['totals'], Tone][];

const figureOf = (outcome: (typeof tiles)[number][0], counts: Figures): number =>
  outcome === 'sent' ? awaitingReport(counts) : counts[outcome];
type Figures = Overview['series'][number] | Overview['totals'];

export function Tiles({ data }: { data: Overview }) {
  return (
    <ul className={styles.tiles} aria-label={text.figures}>
      {tiles.map(([outcome, tone]) => (
        <li key={outcome}>
          <ListLink
            className={styles.tile}
            filters={{
              created_after: data.from,
              ...(outcome === 'accepted' ? {} : { status: outcome }),
            }}
          >
            <span className={styles.tileName}>{text.outcomes[outcome]}</span>
            <span className={styles.tileFigure}>{formatCount(figureOf(outcome, data.totals))}</span>
            <Sparkline values={data.series.map((point) => figureOf(outcome, point))} tone={tone} />
          </ListLink>
        </li>
      ))}
    </ul>
  );
}
