import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

export type Zone = Record<string, { txt?: string[]; mx?: string[]; a?: string[] }>;

/** A name server for tests: UDP on loopback, the few record types that the doctor asks for. */
export async function startDnsServer(zone: Zone): Promise<{ address: string; stop(): Promise<void> }> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => socket.send(answer(query, zone), port, address));
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

const types = { a: 1, mx: 15, txt: 16 } as const;

function answer(query: Buffer, zone: Zone): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('ascii', at + 1, at + 1 + length));
    at += length + 1;
  }
  const question = query.subarray(12, at + 5);
  const type = query.readUInt16BE(at + 1);
  const records = zone[labels.join('.').toLowerCase()];
  const data =
    type === types.txt
      ? (records?.txt ?? []).map(txtData)
      : type === types.mx
        ? (records?.mx ?? []).map((name) => Buffer.concat([Buffer.from([0, 10]), nameData(name)]))
        : type === types.a
          ? (records?.a ?? []).map((each) => Buffer.from(each.split('.').map(Number)))
          : [];
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(records ? 0x8180 : 0x8183, 2); // an answer, or: no such name
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(data.length, 6);
  return Buffer.concat([header, question, ...data.map((each) => record(type, each))]);
}

function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0); // the name of the question
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function txtData(text: string): Buffer {
  const bytes = Buffer.from(text);
  const parts: Buffer[] = [];
  for (let from = 0; from < bytes.length || from === 0; from += 255) {
    const part = bytes.subarray(from, from + 255);
    parts.push(Buffer.from([part.length]), part);
  }
  return Buffer.concat(parts);
}

function nameData(name: string): Buffer {
  const labels = name.split('.').filter(Boolean);
  return Buffer.concat([
    ...labels.map((each) => Buffer.concat([Buffer.from([each.length]), Buffer.from(each)])),
    Buffer.from([0]),
  ]);
}
