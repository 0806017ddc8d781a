// A base for the Dockerfile, made of Debian packages and the Node of this machine: it needs no registry of images.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Images and volumes of our own, apart from those of the machine. */
export const storage = [
  '--storage-driver=vfs',
  '--root=/var/tmp/carillon-images/store',
  '--runroot=/var/tmp/carillon-images/run',
];

const certificates = '/etc/ssl/certs/ca-certificates.crt';

/** Requires root, and buildah and debootstrap of Debian. */
export function makeBase(name) {
  const folder = mkdtempSync('/var/tmp/carillon-base-'); // /tmp may be mounted without devices
  const files = join(folder, 'root');
  try {
    run('debootstrap', '--variant=minbase', '--include=ca-certificates,libstdc++6', 'bookworm', files);
    addNode(files);
    // The registry of packages may be behind an authority that only this machine knows.
    if (existsSync(certificates)) cpSync(certificates, join(files, certificates), { dereference: true });
    run('chroot', files, 'useradd', '--uid', '1000', '--user-group', '--create-home', 'node');
    run(
      'tar',
      '-C',
      files,
      '--exclude=./var/cache/apt',
      '--exclude=./var/lib/apt/lists',
      '-cf',
      join(folder, 'root.tar'),
      '.',
    );
    rmSync(files, { recursive: true });
    const steps = ['FROM scratch', 'ADD root.tar /', `ENV NODE_EXTRA_CA_CERTS=${certificates}`];
    writeFileSync(join(folder, 'Dockerfile'), `${steps.join('\n')}\n`);
    run('buildah', ...storage, 'build', '--isolation=chroot', `--tag=${name}`, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function addNode(files) {
  const local = join(files, 'usr/local');
  const npm = dirname(dirname(realpathSync(which('npm'))));
  cpSync(realpathSync(process.execPath), join(local, 'bin/node'));
  cpSync(npm, join(local, 'lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
}

function run(program, ...args) {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

function which(program) {
  return execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
}
