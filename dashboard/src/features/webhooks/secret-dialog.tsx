import { webhooks as text } from '../../strings/webhooks.ts';
import { Button, Dialog, SecretOnce } from '../../ui/index.ts';
import { VerifyCode } from './verify-code.tsx';

/** Shows a signing secret once, so only its button closes the dialog. */
export function SecretDialog(props: { title: string; secret: string; onDone(): void }) {
  const { title, secret, onDone } = props;
  return (
    <Dialog
      open
      onOpenChange={onDone}
      firm
      wide
      title={title}
      description={text.secret.description}
      foot={
        <Button variant="primary" onClick={onDone}>
          {text.secret.done}
        </Button>
      }
    >
      <SecretOnce secret={secret} />
      <p>{text.secret.next}</p>
      <VerifyCode />
    </Dialog>
  );
}
