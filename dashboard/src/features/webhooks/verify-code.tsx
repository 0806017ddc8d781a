import { useState } from 'react';
import { webhooks as text } from '../../strings/webhooks.ts';
import { CodeBlock, Tabs } from '../../ui/index.ts';
import { verifyExamples } from './verify-examples.ts';

/** Verification examples in several languages. */
export function VerifyCode() {
  const [language, setLanguage] = useState<string>('sdk');
  return (
    <Tabs
      label={text.verify.languages}
      value={language}
      onChange={setLanguage}
      tabs={verifyExamples.map(([name, code]) => ({
        value: name,
        label: text.verify[name],
        content: <CodeBlock code={code} label={text.verify.code(text.verify[name])} />,
      }))}
    />
  );
}
