import { broadcasts } from '../../strings/broadcasts.ts';
import { Button, IconButton, Input, Select, useFormError } from '../../ui/index.ts';
import styles from './broadcasts.module.css';
import { emptyRow, type FilterRow } from './filter-rows.ts';

const text = broadcasts.filter;
const conditions = Object.keys(text.conditions) as FilterRow['condition'][];

/** The conditions of an audience, one per row. */
export function FilterFields(props: {
  rows: readonly FilterRow[];
  problem: string | null;
  onChange(rows: FilterRow[]): void;
}) {
  const { rows, problem, onChange } = props;
  const error = useFormError('audience', problem);
  const change = (id: string, changes: Partial<FilterRow>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...changes } : row)));
  return (
    <fieldset className={styles.group}>
      <legend>{text.title}</legend>
      <span className={styles.small}>{text.hint}</span>
      {rows.map(({ id, condition, attribute, values }, index) => (
        <div key={id} className={styles.condition}>
          <Select
            aria-label={text.condition(index + 1)}
            value={condition}
            onChange={(event) => change(id, { condition: event.target.value as FilterRow['condition'] })}
          >
            {conditions.map((each) => (
              <option key={each} value={each}>
                {text.conditions[each]}
              </option>
            ))}
          </Select>
          {condition === 'attributes' && (
            <Input
              aria-label={text.attribute(index + 1)}
              placeholder={text.attributeExample}
              value={attribute}
              maxLength={100}
              onChange={(event) => change(id, { attribute: event.target.value })}
            />
          )}
          <Input
            aria-label={text.values(index + 1)}
            placeholder={text.examples[condition]}
            value={values}
            maxLength={5_000}
            dir="auto"
            onChange={(event) => change(id, { values: event.target.value })}
          />
          <IconButton
            icon="trash"
            label={text.remove(index + 1)}
            onClick={() => onChange(rows.filter((row) => row.id !== id))}
          />
        </div>
      ))}
      <div>
        <Button size="small" icon="plus" onClick={() => onChange([...rows, emptyRow()])}>
          {text.add}
        </Button>
      </div>
      {error && <span role="alert">{error}</span>}
    </fieldset>
  );
}
