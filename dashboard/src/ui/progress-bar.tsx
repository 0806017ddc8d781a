interface ProgressBarProps {
  label: string;
  done: number;
  /** Null when it was not counted: the bar shows only that work goes on. */
  total: number | null;
  className?: string | undefined;
}

/** The progress of long work: a broadcast, a bulk action, a release. */
export function ProgressBar({ label, done, total, className }: ProgressBarProps) {
  const known = total === null ? {} : { max: Math.max(total, 1), value: done };
  return <progress className={className} aria-label={label} {...known} />;
}
