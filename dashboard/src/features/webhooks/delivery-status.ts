import type { WebhookDelivery } from '@carillon/sdk';

/** A delivery that waits because its endpoint is paused says so. */
export function shownStatus({ status, status_detail }: WebhookDelivery): string {
  return status_detail === 'paused' ? status_detail : status;
}
