import { CodeEditor } from '../../editor/index.ts';
import { templates as text } from '../../strings/templates.ts';
import { Card } from '../../ui/index.ts';
import type { Sample } from './sample.ts';
import styles from './templates.module.css';

const problems = { json: text.sampleBroken, object: text.sampleNotObject };

export function SampleEditor({ sample }: { sample: Sample }) {
  return (
    <Card title={text.sample}>
      <div className={styles.field}>
        <CodeEditor
          value={sample.text}
          onChange={sample.set}
          language="json"
          label={text.sample}
          minHeight={120}
          maxHeight={320}
        />
        {sample.problem ? (
          <p className={styles.error} role="alert">
            {problems[sample.problem]}
          </p>
        ) : (
          <p className={styles.hint}>{text.sampleHint}</p>
        )}
      </div>
    </Card>
  );
}
