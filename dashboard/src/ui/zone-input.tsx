import { useId } from 'react';
import { Input } from './field.tsx';

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')];

/** The name of a time zone. The browser suggests those it knows; the service validates. */
export function ZoneInput({ value, onChange }: { value: string; onChange(value: string): void }) {
  const id = useId();
  return (
    <>
      <Input value={value} maxLength={64} list={id} onChange={(event) => onChange(event.target.value)} />
      <datalist id={id}>
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
