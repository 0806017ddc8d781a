import { useState } from 'react';
import { useCan, useEnvironment } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { start as text } from '../../strings/start.ts';
import { Button, CodeBlock, LinkButton, Notice, Row, Stack, Tabs } from '../../ui/index.ts';
import { useHasProvider } from './progress.ts';
import { curlExample, firstMessage, sdkExample, sdkInstall } from './snippets.ts';
import { Step } from './step.tsx';

export function SendStep({ secret, isDone }: { secret: string | null; isDone: boolean }) {
  const { kind, person } = useEnvironment();
  const [language, setLanguage] = useState('curl');
  const address = kind === 'test' ? 'delivered@sandbox.test' : person.email;
  const example = { origin: location.origin, key: secret ?? 'YOUR_KEY', address };
  const code = { curl: curlExample(example), sdk: sdkExample(example) };
  return (
    <Step number={2} title={text.send.title} isDone={isDone}>
      <p>{text.send.text[kind]}</p>
      {kind === 'live' && <LiveWarning address={address} />}
      <Tabs
        label={text.send.languages}
        value={language}
        onChange={setLanguage}
        tabs={(['curl', 'sdk'] as const).map((value) => ({
          value,
          label: text.send[value],
          content: (
            <Stack>
              {value === 'sdk' && <CodeBlock code={sdkInstall} label={text.send.install} />}
              <CodeBlock code={code[value]} label={text.send.code[value]} />
            </Stack>
          ),
        }))}
      />
      {secret === null && <p>{text.send.withoutKey}</p>}
      <SendFromHere address={address} />
    </Step>
  );
}

function LiveWarning({ address }: { address: string }) {
  const { kind } = useEnvironment();
  if (useHasProvider() !== false) return <Notice tone="amber">{text.live.real(address)}</Notice>;
  return (
    <Notice
      tone="amber"
      action={
        <LinkButton size="small" to={`/${kind}/connections`}>
          {text.live.connect}
        </LinkButton>
      }
    >
      {text.live.needsProvider}
    </Notice>
  );
}

/** Hidden without a provider: the send would be accepted and then fail. */
function SendFromHere({ address }: { address: string }) {
  const canSend = useCan('notifications:send');
  const hasProvider = useHasProvider();
  const send = useWrite((api) => api.notifications.send(firstMessage(address)), {
    changes: [['notifications']],
    done: text.send.sent,
  });
  if (!canSend || hasProvider !== true) return null;
  return (
    <Row>
      <span>{text.send.now}</span>
      <Button icon="send" busy={send.isPending} onClick={() => send.mutate()}>
        {text.send.fromHere}
      </Button>
    </Row>
  );
}
