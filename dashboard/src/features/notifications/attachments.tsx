import type { Attachment } from '@carillon/sdk';
import { notifications } from '../../strings/notifications.ts';
import { Badge, Card, type Column, fileSize, Table } from '../../ui/index.ts';

const text = notifications.attachments;

const columns: Column<Attachment>[] = [
  { header: text.name, clip: true, cell: ({ filename }) => <bdi>{filename}</bdi> },
  { header: text.type, clip: true, cell: ({ content_type }) => <code>{content_type}</code> },
  { header: text.size, end: true, cell: ({ size_bytes }) => fileSize(size_bytes) },
  {
    header: text.state,
    end: true,
    cell: ({ purged }) => <Badge tone={purged ? 'grey' : 'green'}>{purged ? text.purged : text.kept}</Badge>,
  },
];

export function Attachments({ files }: { files: Attachment[] | undefined }) {
  if (!files || files.length === 0) return null;
  return (
    <Card title={text.title} flush>
      <Table label={text.title} columns={columns} rows={files} rowKey={(file) => `${files.indexOf(file)}`} />
    </Card>
  );
}
