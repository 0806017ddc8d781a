import { useEffect, useRef, useState } from 'react';
import type { Tone } from './badge.tsx';
import styles from './chart.module.css';
import { formatter, shortTime } from './time-format.ts';

export interface Series {
  name: string;
  tone: Tone;
  values: number[];
}

/** Stacked bars over time. Screen readers get `label` and a visually hidden table of the figures. */
export function StackedBars(props: { label: string; times: string[]; series: Series[]; height?: number }) {
  const { label, times, series, height = 160 } = props;
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(640);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(
      ([entry]) => entry && setWidth(Math.max(200, entry.contentRect.width)),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const totals = times.map((_, index) => series.reduce((sum, each) => sum + (each.values[index] ?? 0), 0));
  const top = niceCeiling(Math.max(2, ...totals));
  const left = 36;
  const bottom = 18;
  const plot = height - bottom;
  const step = (width - left) / Math.max(1, times.length);
  const gap = step > 4 ? 1 : 0;
  const y = (value: number) => plot - (value / top) * (plot - 8);

  return (
    <div className={styles.chart} ref={box}>
      <svg
        className={styles.plot}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={label}
      >
        {[0, top / 2, top].map((value) => (
          <g key={value}>
            <line className={styles.axis} x1={left} x2={width} y1={y(value)} y2={y(value)} />
            <text className={styles.tick} x={left - 6} y={y(value) + 4} textAnchor="end">
              {shortNumber(value)}
            </text>
          </g>
        ))}
        {times.map((time, index) => {
          let below = 0;
          return (
            <g key={time}>
              {series.map((each) => {
                const value = each.values[index] ?? 0;
                const from = below;
                below += value;
                return value === 0 ? null : (
                  <rect
                    key={each.name}
                    x={left + index * step}
                    width={Math.max(1, step - gap)}
                    y={y(below)}
                    height={Math.max(1, y(from) - y(below))}
                    fill={`var(--${each.tone})`}
                  />
                );
              })}
              <rect className={styles.hit} x={left + index * step} width={step} y={0} height={plot}>
                <title>{describe(time, index, series)}</title>
              </rect>
            </g>
          );
        })}
        {ticks(times).map(({ index, text, anchor }) => (
          <text
            key={index}
            className={styles.tick}
            x={left + index * step + (anchor === 'end' ? step : 0)}
            y={height - 4}
            textAnchor={anchor}
          >
            {text}
          </text>
        ))}
      </svg>
      <ul className={styles.legend}>
        {series.map((each) => (
          <li key={each.name}>
            <span className={styles.swatch} style={{ background: `var(--${each.tone})` }} />
            {each.name}
          </li>
        ))}
      </ul>
      <div className="visually-hidden">
        <table>
          <caption>{label}</caption>
          <tbody>
            {series.map((each) => (
              <tr key={each.name}>
                <th scope="row">{each.name}</th>
                <td>{each.values.reduce((sum, value) => sum + value, 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** A small line chart beside a figure. */
export function Sparkline({ values, tone = 'blue' }: { values: number[]; tone?: Tone }) {
  const top = Math.max(1, ...values);
  const points = values.map((value, index) => {
    const x = (index / Math.max(1, values.length - 1)) * 100;
    return `${x.toFixed(1)},${(27 - (value / top) * 24).toFixed(1)}`;
  });
  return (
    <svg className={styles.spark} width="100" height="28" viewBox="0 0 100 28" aria-hidden="true">
      <polyline points={points.join(' ')} fill="none" stroke={`var(--${tone})`} strokeWidth="1.5" />
    </svg>
  );
}

function describe(time: string, index: number, series: Series[]): string {
  const figures = series.map((each) => `${each.name}: ${each.values[index] ?? 0}`);
  return [shortTime(new Date(time)), ...figures].join('\n');
}

function ticks(times: string[]): { index: number; text: string; anchor: 'start' | 'middle' | 'end' }[] {
  const last = times.length - 1;
  if (last < 1) return [];
  const span = Date.parse(times[last] ?? '') - Date.parse(times[0] ?? '');
  const format: Intl.DateTimeFormatOptions =
    span > 36 * 3_600_000 ? { month: 'short', day: 'numeric' } : { hour: '2-digit', minute: '2-digit' };
  const text = (index: number, more: Intl.DateTimeFormatOptions = {}) =>
    formatter({ ...format, ...more }).format(new Date(times[index] ?? ''));
  const middle = Math.round(last / 2);
  return [
    { index: 0, text: text(0), anchor: 'start' },
    { index: middle, text: text(middle), anchor: 'middle' },
    { index: last, text: text(last, { timeZoneName: 'short' }), anchor: 'end' },
  ];
}

/** Its half is an integer too, because the values are counts. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6, 10].find((each) => each * power >= value) ?? 10) * power;
}

export function shortNumber(value: number): string {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}
