import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { createApi, onSessionEnded } from '../api/client.ts';
import { common } from '../strings/common.ts';
import { shell } from '../strings/shell.ts';
import { Button, Dialog, describeError, Field, Form, Input, Notice } from '../ui/index.ts';
import styles from './sign-in.module.css';

const api = createApi(null);

function useSignIn(onDone: () => void) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const login = useMutation({
    // A 429 is not retried: the person sees at once how long to wait.
    mutationFn: () => api.sessions.login({ email: email.trim(), password }, { max_retries: 0 }),
    onSuccess: () => {
      setPassword('');
      onDone();
    },
  });
  const submit = () => {
    if (!login.isPending) login.mutate();
  };
  const fields = (
    <>
      {login.error && <Notice tone="red">{describeError(login.error).text}</Notice>}
      <Field label={shell.signIn.email}>
        <Input
          type="email"
          autoComplete="username"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          required
        />
      </Field>
      <Field label={shell.signIn.password}>
        <Input
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          required
        />
      </Field>
    </>
  );
  return { fields, submit, isPending: login.isPending };
}

export function SignInPage() {
  const { to } = useSearch({ strict: false }) as { to?: string };
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { fields, submit, isPending } = useSignIn(() => {
    queries.clear();
    // Only paths of this site: `//elsewhere` would be another one.
    const target = to?.startsWith('/') && !/^\/[/\\]/.test(to) ? to : '/';
    void navigate({ href: target, replace: true });
  });
  useEffect(() => {
    document.title = `${shell.signIn.title}`;
  }, []);
  return (
    <main className={styles.screen}>
      <Form className={styles.box} onSubmit={submit}>
        <div className={styles.mark}>
          <img src="/favicon.svg" alt="" width={32} height={32} />
          <h1>{shell.signIn.title}</h1>
        </div>
        {fields}
        <Button type="submit" variant="primary" busy={isPending}>
          {shell.signIn.submit}
        </Button>
        <p className={styles.hint}>{shell.signIn.hint}</p>
      </Form>
    </main>
  );
}

/** The sign-in over the current page: rejected requests wait for it and are then repeated. */
export function SignInAgain() {
  const [isOpen, setOpen] = useState(false);
  const waiting = useRef<{ promise: Promise<void>; resolve(): void } | null>(null);
  useEffect(() => {
    onSessionEnded(() => {
      if (!waiting.current) {
        let resolve = () => {};
        const promise = new Promise<void>((done) => {
          resolve = done;
        });
        waiting.current = { promise, resolve };
        setOpen(true);
      }
      return waiting.current.promise;
    });
    return () => onSessionEnded(null);
  }, []);
  const { fields, submit, isPending } = useSignIn(() => {
    setOpen(false);
    waiting.current?.resolve();
    waiting.current = null;
  });
  return (
    <Dialog
      open={isOpen}
      onOpenChange={() => {}}
      firm
      title={shell.signIn.again}
      description={shell.signIn.againHint}
      onSubmit={submit}
      foot={
        <>
          <Button onClick={() => location.assign('/sign-in')}>{common.close}</Button>
          <Button type="submit" variant="primary" busy={isPending}>
            {shell.signIn.submit}
          </Button>
        </>
      }
    >
      {fields}
    </Dialog>
  );
}
