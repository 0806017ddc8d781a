import { useEffect, useState } from 'react';
import { SearchInput } from '../ui/index.ts';

const pauseMs = 250;

/** A text filter that applies when typing pauses, and follows the URL. */
export function SearchFilter(props: {
  label: string;
  value: string;
  onChange(value: string): void;
  maxLength?: number;
}) {
  const { label, value, onChange, maxLength = 255 } = props;
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  if (shown !== value) {
    setShown(value);
    if (value !== text.trim()) setText(value);
  }
  useEffect(() => {
    const wanted = text.trim();
    if (wanted === value) return;
    const timer = setTimeout(() => onChange(wanted), pauseMs);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <SearchInput
      label={label}
      value={text}
      maxLength={maxLength}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
