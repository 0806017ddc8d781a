import type { InvitationPreview } from '@carillon/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { createApi } from '../../api/client.ts';
import { errorOf, isCode } from '../../api/queries.ts';
import { chooseOrganization } from '../../shell/organization.ts';
import styles from '../../shell/sign-in.module.css';
import { common } from '../../strings/common.ts';
import { team, invitation as text } from '../../strings/settings.ts';
import { Button, Checkbox, EmptyState, Field, Form, FormError, Input, Loaded } from '../../ui/index.ts';
import { strengthOf } from './password-strength.ts';

const api = createApi(null);

/** The page of an invitation link. The token is in the fragment, which is not sent to servers or logs. */
export default function InvitationPage() {
  const [token] = useState(() => location.hash.slice(1));
  const query = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => api.team.lookUpInvitation({ token }),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  useEffect(() => {
    document.title = `${text.title} · ${common.product}`;
  }, []);
  if (token === '') return <DeadEnd title={text.noToken}>{text.noTokenText}</DeadEnd>;
  if (isCode(query.error, 'invitation_not_found'))
    return <DeadEnd title={text.gone}>{text.goneText}</DeadEnd>;
  return (
    <Screen title={query.data ? text.joining(query.data.organization_name) : text.title}>
      <Loaded query={query}>{(preview) => <Accept token={token} preview={preview} />}</Loaded>
    </Screen>
  );
}

function Accept({ token, preview }: { token: string; preview: InvitationPreview }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [isShown, setShown] = useState(false);
  const [wasTried, setTried] = useState(false);
  const [isKnown, setKnown] = useState(false);
  const isNew = !isKnown;
  const accept = useMutation({
    mutationFn: () => api.team.acceptInvitation({ token, password, ...(isNew ? { name: name.trim() } : {}) }),
    onSuccess: ({ organizations }) => {
      // Names can repeat; the newest organization is the likely one.
      const joined = organizations.findLast((each) => each.name === preview.organization_name);
      chooseOrganization(joined?.id ?? null);
      queries.clear();
      void navigate({ to: '/test/overview', replace: true });
    },
  });
  const strength = strengthOf(password, [name, preview.email.split('@')[0] ?? '']);
  const isNameMissing = isNew && name.trim() === '';
  const submit = () => {
    setTried(true);
    if (!isNameMissing && (isNew ? strength.isEnough : password !== '')) accept.mutate();
  };
  if (isCode(accept.error, 'invitation_not_found')) {
    return <Ended title={text.gone}>{text.goneText}</Ended>;
  }
  const isWrong = isCode(accept.error, 'invalid_credentials');
  const wrong = isKnown ? text.wrong : text.taken;
  return (
    <Form className={styles.fields} onSubmit={submit}>
      <p>{text.asRole(preview.email, team.roles[preview.role])}</p>
      {!isWrong && <FormError error={accept.error} besides={['name', 'password']} />}
      <input type="hidden" autoComplete="username" value={preview.email} readOnly />
      {isNew && (
        <Field
          label={text.name}
          error={errorOf(accept.error, 'name') ?? (wasTried && isNameMissing ? text.nameNeeded : null)}
        >
          <Input
            dir="auto"
            autoComplete="name"
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
      )}
      <Field
        label={isNew ? text.newPassword : text.yourPassword}
        {...(isNew ? { hint: <span aria-live="polite">{strength.text}</span> } : {})}
        error={errorOf(accept.error, 'password') ?? (isWrong ? wrong : null)}
      >
        <Input
          type={isShown ? 'text' : 'password'}
          autoComplete={isNew ? 'new-password' : 'current-password'}
          maxLength={200}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </Field>
      <Checkbox
        label={text.known}
        checked={isKnown}
        onChange={(event) => {
          setKnown(event.target.checked);
          accept.reset();
        }}
      />
      <Checkbox label={text.show} checked={isShown} onChange={(event) => setShown(event.target.checked)} />
      <Button type="submit" variant="primary" busy={accept.isPending}>
        {text.accept}
      </Button>
    </Form>
  );
}

function DeadEnd({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Screen title={text.title}>
      <Ended title={title}>{children}</Ended>
    </Screen>
  );
}

function Ended({ title, children }: { title: string; children: ReactNode }) {
  return (
    <EmptyState title={title} icon="clock" action={<Link to="/sign-in">{text.toSignIn}</Link>}>
      {children}
    </EmptyState>
  );
}

function Screen({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className={styles.screen}>
      <div className={styles.box}>
        <div className={styles.mark}>
          <img src="/favicon.svg" alt="" width={32} height={32} />
          <h1 dir="auto">{title}</h1>
        </div>
        {children}
      </div>
    </main>
  );
}
