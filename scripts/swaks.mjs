// swaks, the SMTP client that administrators test mail servers with; a test of SMTP in drives it.
import { execFileSync } from 'node:child_process';
import { canInstallPackages, installPackages } from './debian.mjs';

/** Whether it runs, TLS included. */
export function hasSwaks() {
  try {
    return /TLS supported/.test(execFileSync('swaks', ['--support'], { encoding: 'utf8', stdio: 'pipe' }));
  } catch {
    return false;
  }
}

export async function ensureSwaks() {
  if (hasSwaks()) return;
  if (canInstallPackages()) {
    console.log('installing swaks for a test of SMTP in (apt-get, once)…');
    await installPackages('swaks', 'libnet-ssleay-perl');
  }
  if (!hasSwaks())
    console.log(
      'swaks not found: a test of SMTP in is skipped. Install it (Debian, Ubuntu: apt-get install swaks libnet-ssleay-perl).',
    );
}
