import { testKey } from './service.ts';

/** Calls the API of a benchmark's service; anything but success is an error. */
export async function callApi<Answer>(
  url: string,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await fetch(`${url}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${testKey}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** Creates and activates a workflow; resolves to its id. */
export async function defineWorkflow(url: string, key: string, steps: object[]): Promise<string> {
  const { id } = await callApi<{ id: string }>(url, 'POST', '/workflows', { key, name: key });
  await callApi(url, 'POST', `/workflows/${key}/versions`, { body: { steps } });
  const { valid } = await callApi<{ valid: boolean }>(url, 'POST', `/workflows/${key}/versions/1/activate`);
  if (!valid) throw new Error(`${key} is not valid`);
  return id;
}
