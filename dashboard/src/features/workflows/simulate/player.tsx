import { useEffect, useState } from 'react';
import { workflows } from '../../../strings/workflows.ts';
import { duration, ExactTime, IconButton, Select } from '../../../ui/index.ts';
import type { Moment } from '../run/timeline.ts';
import styles from './simulate.module.css';

const { simulation } = workflows;
const speeds = [0.5, 1, 2, 4];
const momentMs = 900;

/** Steps through the moments of a simulation, automatically or by hand. */
export function usePlayer(count: number) {
  const [position, setPosition] = useState(0);
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const last = Math.max(0, count - 1);
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setTimeout(() => {
      setPosition((at) => Math.min(last, at + 1));
      if (position + 1 >= last) setPlaying(false);
    }, momentMs / speed);
    return () => clearTimeout(timer);
  }, [isPlaying, position, last, speed]);
  return {
    position: Math.min(position, last),
    last,
    isPlaying,
    speed,
    setSpeed,
    goTo(at: number) {
      setPlaying(false);
      setPosition(Math.max(0, Math.min(last, at)));
    },
    /** Plays from the current moment; at the end, from the start. */
    play() {
      setPosition((at) => (at >= last ? 0 : at));
      setPlaying(true);
    },
    restart() {
      setPosition(0);
      setPlaying(true);
    },
    pause: () => setPlaying(false),
  };
}

type PlayerState = ReturnType<typeof usePlayer>;

export function Player(props: { player: PlayerState; moments: Moment[]; describe(moment: Moment): string }) {
  const { player, moments, describe } = props;
  const { position, last, isPlaying, speed } = player;
  const moment = moments[position];
  const start = moments[0];
  if (!moment || !start) return null;
  const elapsed = Date.parse(moment.at) - Date.parse(start.at);
  return (
    <div className={styles.player}>
      <div className={styles.buttons}>
        <IconButton
          label={simulation.back}
          icon="back"
          size="small"
          disabled={position === 0}
          onClick={() => player.goTo(position - 1)}
        />
        <IconButton
          label={isPlaying ? simulation.pause : simulation.play}
          icon={isPlaying ? 'pause' : 'play'}
          size="small"
          variant="primary"
          onClick={() => (isPlaying ? player.pause() : player.play())}
        />
        <IconButton
          label={simulation.forward}
          icon="chevron"
          size="small"
          disabled={position === last}
          onClick={() => player.goTo(position + 1)}
        />
      </div>
      <input
        type="range"
        className={styles.range}
        min={0}
        max={last}
        value={position}
        aria-label={simulation.position}
        aria-valuetext={`${simulation.positionOf(position, last)}. ${describe(moment)}`}
        onChange={(event) => player.goTo(event.target.valueAsNumber)}
      />
      <Select
        className={styles.speed}
        aria-label={simulation.speed}
        value={speed}
        onChange={(event) => player.setSpeed(Number(event.target.value))}
      >
        {speeds.map((each) => (
          <option key={each} value={each}>
            {simulation.speeds(each)}
          </option>
        ))}
      </Select>
      <div className={styles.clock}>
        <span className={styles.time} title={simulation.clock}>
          <ExactTime at={moment.at} />
        </span>
        <span>{elapsed === 0 ? simulation.atStart : simulation.afterStart(duration(elapsed))}</span>
        <strong role="status">{describe(moment)}</strong>
      </div>
    </div>
  );
}
