/** The notification that benchmarks send: an email of ordinary size. */
const paragraph = 'The parcel left our warehouse this morning. '.repeat(10);

export const message = {
  channel: 'email',
  recipient: { address: 'delivered@sandbox.test', name: 'Ada Lovelace' },
  subject: 'Your order has been shipped',
  html_body: `<h1>It is on its way</h1><p>${paragraph}</p>`,
  text_body: `It is on its way. ${paragraph}`,
};
