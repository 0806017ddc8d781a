import type { ChatoneInstallation } from '@carillon/sdk';
import { useFilters } from '../../shell/filters.ts';
import { chatone } from '../../strings/connections.ts';
import { AnchorButton, Button, Notice, Row } from '../../ui/index.ts';

const text = chatone.result;

/** The result of an installation, which the service puts into the URL when it redirects back. */
export function InstallResult(props: { installations: ChatoneInstallation[]; installHref: string }) {
  const { installations, installHref } = props;
  const { values, clear } = useFilters('installed', 'team', 'error');
  const dismiss = (
    <Button size="small" onClick={clear}>
      {text.dismiss}
    </Button>
  );
  if (values.error !== '') {
    return (
      <Notice
        tone="red"
        action={
          <Row>
            <AnchorButton size="small" href={installHref}>
              {text.retry}
            </AnchorButton>
            {dismiss}
          </Row>
        }
      >
        <strong>{text.failed}</strong> {text.codes[values.error] ?? text.other(values.error)}
      </Notice>
    );
  }
  if (values.installed === '') return null;
  const team = installations.find(({ team_id }) => team_id === values.team);
  return (
    <Notice tone="green" action={dismiss}>
      <span role="status">{team ? text.installed(team.team_name) : text.installedPlain}</span>
    </Notice>
  );
}
