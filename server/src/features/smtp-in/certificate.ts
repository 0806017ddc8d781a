import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Log } from '../../kernel/log.ts';

/** The certificate and its key, in PEM. */
export interface Certificate {
  cert: Buffer;
  key: Buffer;
}

const checkEveryMs = 60_000;

/** Reads both files, and fails with a sentence when they cannot be used. */
export function readCertificate(certPath: string, keyPath: string): Certificate {
  try {
    const certificate = { cert: readFileSync(certPath), key: readFileSync(keyPath) };
    createSecureContext(certificate);
    return certificate;
  } catch (error) {
    throw new Error(
      `The certificate in CARILLON_SMTP_TLS_CERT and CARILLON_SMTP_TLS_KEY cannot be used: ${(error as Error).message}`,
    );
  }
}

/** Certificates are renewed every few weeks by replacing their files; a process that runs for months has to notice. */
export function watchCertificate(
  paths: [certPath: string, keyPath: string],
  { log, onChange }: { log: Log; onChange: (certificate: Certificate) => void },
  everyMs = checkEveryMs,
): () => void {
  const changedAt = (): string => paths.map((path) => statSync(path).mtimeMs).join();
  let known = changedAt();
  const timer = setInterval(() => {
    try {
      const seen = changedAt();
      if (seen === known) return;
      onChange(readCertificate(...paths));
      known = seen;
      log.info('the certificate for SMTP was replaced');
    } catch (error) {
      log.warn({ err: error }, 'the new certificate for SMTP cannot be used; the old one stays');
    }
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
