// `npm run try-image`: builds the container image on a base made here, and shows that it keeps its promises: it runs as an
// ordinary user on a read-only root file system, answers its health check, loses nothing when it is killed while it accepts and
// sends, and stops on SIGTERM. Needs root on Debian: apt-get install buildah podman runc debootstrap

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { makeBase, storage } from './image-base.mjs';
import { root, stop } from './setup.mjs';

const base = 'localhost/carillon-base';
const image = 'localhost/carillon';
const volume = `carillon-try-${process.pid}`;
const sends = 400;
const killAfter = 200;

for (const program of ['buildah', 'podman', 'runc', 'debootstrap'])
  if (spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0)
    stop(`${program} is missing: apt-get install buildah podman runc debootstrap`);

const podmanOptions = [...storage, '--cgroup-manager=cgroupfs', '--runtime=runc'];
const podman = (...args) => execFileSync('podman', [...podmanOptions, ...args], { encoding: 'utf8' }).trim();
const tryPodman = (...args) => spawnSync('podman', [...podmanOptions, ...args], { encoding: 'utf8' });

if (tryPodman('image', 'exists', base).status !== 0) {
  console.log('making a base image of Debian packages and this Node…');
  makeBase(base);
}
console.log('building the image…');
const buildArgs = [
  'build',
  '--isolation=chroot',
  '--format=docker',
  `--build-arg=BASE=${base}`,
  `--tag=${image}`,
];
execFileSync('buildah', [...storage, ...buildArgs, root], { stdio: ['ignore', 'ignore', 'inherit'] });
const [{ Healthcheck: health, Size: bytes }] = JSON.parse(podman('image', 'inspect', image));
const [{ Size: baseBytes }] = JSON.parse(podman('image', 'inspect', base));
console.log(
  `image: ${(bytes / 1e6).toFixed(0)} MB, of which the base has ${(baseBytes / 1e6).toFixed(0)} MB`,
);

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
let container = null;
try {
  let began = Date.now();
  container = start();
  const banner = await until(
    'the banner',
    () => /Carillon is running at .*?crl_test_\w+.*?curl /s.exec(logs())?.[0],
  );
  console.log(`first start: ready in ${since(began)} s`);
  const key = /crl_test_\w+/.exec(banner)[0];
  assert.ok(banner.includes(`running at ${url} `), 'the banner has an address that can be opened');

  assert.equal(podman('exec', container, 'id', '-u'), '1000');
  const write = tryPodman('exec', container, 'sh', '-c', 'echo x > /app/x');
  assert.match(write.stderr, /Read-only file system/);
  const [, ...healthCommand] = health.Test;
  assert.equal(tryPodman('exec', container, ...healthCommand).status, 0);
  assert.notEqual(tryPodman('exec', '--env=PORT=1', container, ...healthCommand).status, 0);
  console.log('user 1000, read-only root file system, health check: ok');

  const accepted = await sendAndKill(key);
  began = Date.now();
  podman('rm', '--force', container);
  container = start();
  await until('readiness', async () => (await fetch(`${url}/readyz`).catch(() => null))?.ok);
  console.log(
    `killed (SIGKILL) after ${accepted.length} of ${sends} sends; a new container is ready in ${since(began)} s`,
  );
  for (const id of accepted)
    await until(`delivery of ${id}`, async () => (await get(key, id)).status === 'delivered');
  console.log(`acknowledged ${accepted.length}, delivered ${accepted.length}, lost 0`);

  began = Date.now();
  podman('stop', '--time=60', container);
  assert.match(logs(), /SIGTERM: finishing work in progress/);
  assert.equal(podman('inspect', '--format={{.State.ExitCode}}', container), '0');
  console.log(`stopped by SIGTERM in ${since(began)} s, exit code 0`);
} finally {
  if (container) tryPodman('rm', '--force', '--time=0', container);
  tryPodman('volume', 'rm', volume);
}

function start() {
  return podman(
    ...['run', '--detach', `--volume=${volume}:/data`, '--read-only', '--tmpfs=/tmp'],
    ...['--cap-drop=all', '--security-opt=no-new-privileges'],
    // The network of the machine, because a network of its own needs rights that a nested container does not have. For the same reason
    // the limits are not raised, and the health check, which podman leaves to systemd, is run by hand.
    ...['--network=host', `--env=PORT=${port}`, '--ulimit=nofile=4096:4096', '--ulimit=nproc=4096:4096'],
    ...['--no-healthcheck', image],
  );
}

/** Kills the container in the middle of the sends, and resolves to the ids of those that were acknowledged. */
async function sendAndKill(key) {
  const accepted = [];
  let next = 0;
  let killed = false;
  const caller = async () => {
    while (next < sends && !killed) {
      const number = next++;
      const id = await send(key, number).catch(() => null); // not acknowledged
      if (id) accepted.push(id);
      if (accepted.length >= killAfter && !killed) {
        killed = true;
        podman('kill', '--signal=KILL', container);
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, caller));
  assert.ok(killed);
  return accepted;
}

async function send(key, number) {
  const response = await fetch(`${url}/v1/notifications`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      channel: 'email',
      recipient: { address: 'delivered@sandbox.test' },
      subject: `Number ${number}`,
      text_body: 'Hello.',
    }),
  });
  return response.ok ? (await response.json()).id : null;
}

async function get(key, id) {
  const response = await fetch(`${url}/v1/notifications/${id}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  assert.equal(response.status, 200, `notification ${id} is lost`);
  return response.json();
}

function logs() {
  const { stdout, stderr } = tryPodman('logs', container);
  return stdout + stderr;
}

async function until(what, check) {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (Date.now() > deadline)
      throw new Error(`${what} did not come within a minute:\n${logs().slice(-2000)}`);
    await delay(100);
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function since(began) {
  return ((Date.now() - began) / 1000).toFixed(1);
}
