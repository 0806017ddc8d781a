import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withWorkflows } from '../../server/src/features/workflows/runs/test-harness.ts';
import { waitUntil } from '../../server/test/harness/app.ts';
import { axeFindings } from './axe.ts';
import { chromiumPath, type DashboardHost, screenshot, startDashboard } from './dashboard.ts';

describe.skipIf(!chromiumPath)('schedules', () => {
  let host: DashboardHost;
  beforeAll(async () => {
    host = await startDashboard();
    await withWorkflows(host.app).define('report', [{ id: 'only', kind: 'noop' }]);
  }, 120_000);
  afterAll(() => host?.stop());

  const find = async (key: string) => (await host.app.request('GET', `/v1/schedules/${key}`)).body;

  test('a schedule is created with a view of its next runs, then paused, run and deleted', async () => {
    const { page, complaints } = await host.open('/test/schedules');
    await page.getByText('A schedule triggers a workflow or starts').waitFor();
    await page.getByRole('button', { name: 'Create schedule' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Weekly report');
    await dialog.getByLabel('Workflow', { exact: true }).selectOption('report');
    await dialog.getByLabel('Times').selectOption('Cron expression');
    await dialog.getByLabel('Time zone').fill('Europe/Rome');
    await dialog.getByLabel('Cron expression').fill('0 0 30 2 *');
    await dialog.getByText('cron never fires').waitFor();
    await dialog.getByLabel('Times').selectOption('Every week');
    await dialog.getByLabel('At', { exact: true }).fill('09:30');
    await dialog.getByLabel('Friday').check();
    await dialog
      .getByLabel('Next runs')
      .getByText(/ 09:30 \+0[12]:00/)
      .first()
      .waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await screenshot(page, 'schedule-dialog');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Weekly report was saved.').waitFor();
    expect(await find('weekly_report')).toMatchObject({
      cron: '30 9 * * 1,5',
      timezone: 'Europe/Rome',
      target: { workflow_key: 'report' },
    });

    const act = async (name: string) => {
      await page.getByRole('button', { name: 'Actions for Weekly report' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await act('Edit…');
    await dialog.getByLabel('Audience', { exact: true }).selectOption('Everybody');
    await dialog.getByLabel('Start it even if').check();
    await dialog.getByLabel('At the local time of each user').check();
    await dialog.getByLabel('Not after').fill('2099-01-31T12:00');
    await dialog.getByLabel('At', { exact: true }).fill('10:00');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await waitUntil(async () => {
      const { cron } = await find('weekly_report');
      return cron === '0 10 * * 1,5' ? cron : new Error(cron);
    });
    expect(await find('weekly_report')).toMatchObject({
      target: { audience: { all: true, confirm: true } },
      per_recipient_timezone: true,
      starts_at: null,
      ends_at: expect.stringMatching(/^2099-01-31/),
    });
    await act('Edit…');
    await dialog.getByLabel('Audience', { exact: true }).selectOption('None: a single run');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await waitUntil(async () => {
      const { target } = await find('weekly_report');
      return target.audience === null ? target : new Error(JSON.stringify(target));
    });
    await act('Pause');
    await page.getByText('Weekly report is paused.').waitFor();
    await act('Resume');
    await page.getByText('Weekly report runs again.').waitFor();
    await act('Run now…');
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('Weekly report was started.').waitFor();
    await waitUntil(async () => {
      const { last_run } = await find('weekly_report');
      return last_run?.status === 'completed' ? last_run : new Error(JSON.stringify(last_run));
    });
    await page.getByRole('button', { name: 'Next runs of Weekly report' }).click();
    await dialog.getByLabel('Next runs').getByRole('listitem').nth(9).waitFor();
    await dialog.getByLabel('History').getByText('1 run').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await screenshot(page, 'schedule-details');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await act('Delete…');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Weekly report was deleted.').waitFor();
    expect((await host.app.request('GET', '/v1/schedules/weekly_report')).status).toBe(404);

    await page.getByRole('button', { name: 'Create schedule' }).first().click();
    await dialog.getByLabel('Name').fill('Weekly news');
    await dialog.getByLabel('Starts', { exact: true }).selectOption('A broadcast');
    const definition = {
      name: 'News',
      channels: ['in_app'],
      audience: { topic: 'nowhere' },
      html_body: '<p>News</p>',
    };
    const broadcast = dialog.getByLabel('Broadcast as JSON');
    await broadcast.fill(JSON.stringify(definition));
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByText('There is no topic with the key nowhere.').waitFor();
    await host.app.request('POST', '/v1/topics', { body: { key: 'news', name: 'News' } });
    await broadcast.fill(JSON.stringify({ ...definition, audience: { topic: 'news' } }));
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Broadcast: News').waitFor();
    expect((await find('weekly_news')).target).toMatchObject({
      kind: 'broadcast',
      broadcast: { audience: { topic: 'news' } },
    });
    expect(complaints.filter((each) => !each.includes('400'))).toEqual([]);
  }, 120_000);

  test('the editor has the fields of a throttle and of a delivery window', async () => {
    const workflows = withWorkflows(host.app);
    await workflows.define('polite', [
      { id: 'limit', kind: 'throttle', key: 'k', limit: 3, window: '1d' },
      { id: 'hours', kind: 'delay', window: { start: '09:00', end: '17:00' } },
    ]);
    const { page } = await host.open('/test/workflows/polite');
    await page.getByText('3 per 1d by k').first().waitFor();
    await page.getByText('09:00 to 17:00, time zone of the recipient').first().waitFor();
    await page.getByText('3 per 1d by k').first().click();
    await page.getByRole('button', { name: 'Steps', exact: true }).click();
    expect(await page.getByLabel('Runs', { exact: true }).inputValue()).toBe('3');
    await page.getByLabel('Over the limit').selectOption('Wait for a place');
    expect(await page.getByLabel('If skipped, continue at').count()).toBe(0);
  }, 90_000);
});
