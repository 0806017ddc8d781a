import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { EmailMessage } from '../message.ts';
import { sandboxAnswer } from './carrier.ts';
import { magicAddresses, magicNumbers } from './index.ts';

function to(address: string, attempt = 1): EmailMessage {
  return {
    channel: 'email',
    notificationId: '0198aaaa-0000-7000-8000-000000000001',
    environmentId: '0198aaaa-0000-7000-8000-00000000000e',
    attempt,
    to: { address, name: null },
    from: { address: 'no-reply@sandbox.test', name: null },
    replyTo: null,
    subject: 'Hello',
    html: null,
    text: 'Hello',
    attachments: [],
    headers: {},
  };
}

describe('the sandbox answers by address', () => {
  it.each([
    ['delivered@sandbox.test', ['Delivered']],
    ['bounced@sandbox.test', ['Bounced']],
    ['complained@sandbox.test', ['Delivered', 'Complained']],
    ['delayed@sandbox.test', ['DeliveryDelayed', 'Delivered']],
    ['opened@sandbox.test', ['Delivered', 'Opened']],
    ['slow@sandbox.test', ['Delivered']],
    ['anyone@sandbox.test', ['Delivered']],
    ['ada@example.com', ['Delivered']],
    ['Bounced@SANDBOX.test', ['Bounced']],
    ['bounced+tag@sandbox.test', ['Bounced']],
    ['+bounced@sandbox.test', ['Delivered']],
    ['bounced@example.com', ['Delivered']],
    ['constructor@sandbox.test', ['Delivered']],
  ])('%s is accepted, then %j', (address, receipts) => {
    const { outcome } = sandboxAnswer(to(address));
    expect(outcome).toMatchObject({ kind: 'accepted', receipts: receipts.map((type) => ({ type })) });
  });

  it.each([
    ['refused@sandbox.test', 'rejected'],
    ['no-such-user@sandbox.test', 'suppress'],
    ['ambiguous@sandbox.test', 'ambiguous'],
    ['retry@sandbox.test', 'retry'],
  ])('%s is %s, every time', (address, kind) => {
    expect(sandboxAnswer(to(address, 1)).outcome.kind).toBe(kind);
    expect(sandboxAnswer(to(address, 5)).outcome.kind).toBe(kind);
  });

  it('refused-once@sandbox.test is refused once', () => {
    expect(sandboxAnswer(to('refused-once@sandbox.test', 1)).outcome.kind).toBe('retry');
    expect(sandboxAnswer(to('refused-once@sandbox.test', 2)).outcome.kind).toBe('accepted');
  });

  it('slow@sandbox.test takes 3 seconds; delayed@sandbox.test is delivered 3 seconds later', () => {
    expect(sandboxAnswer(to('slow@sandbox.test')).afterMs).toBe(3000);
    expect(sandboxAnswer(to('delayed@sandbox.test')).outcome).toMatchObject({
      receipts: [{}, { afterMs: 3000 }],
    });
  });

  it('the guide lists exactly these addresses and numbers', () => {
    const guide = readFileSync(new URL('../../../../docs/guides/sandbox.md', import.meta.url), 'utf8');
    const listed = [...guide.matchAll(/^\| `([^`]+@sandbox\.test)`/gm)].map((match) => match[1]);
    expect(listed).toEqual(magicAddresses);
    expect([...guide.matchAll(/^\| `(\+\d+)`/gm)].map((match) => match[1])).toEqual(magicNumbers);
  });
});
