/*
 * Makes a fresh clone ready, with nothing but Node and npm on the machine; does nothing where all is ready.
 * Every npm command that needs it runs it first:
 *
 *   node scripts/setup.mjs [--build] [--redis] [--openssl] [--pg-boss]
 *
 * --build    compiles the packages and the apps
 * --redis    sees to a redis-server on the PATH (Debian as root and macOS with Homebrew: installs it)
 * --openssl  likewise to openssl, which makes the certificates of the tests
 * --pg-boss  likewise to PostgreSQL, and to pg-boss with the Node that it wants (Linux on x64), for the benchmark
 *
 * It has no dependencies of its own, since it is what installs them.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The oldest Redis the engine works with. */
const OLDEST_REDIS = [6, 2];
const REDIS = {
  command: 'redis-server',
  isThere: redisIsThere,
  names: { apt: 'redis-server', dnf: 'redis', apk: 'redis', brew: 'redis' },
};
const OPENSSL = {
  command: 'openssl',
  isThere: () => has('openssl', 'version'),
  names: { apt: 'openssl', dnf: 'openssl', apk: 'openssl', brew: 'openssl' },
};
const POSTGRES = {
  command: 'initdb',
  isThere: () => has('initdb', '--version') || existsSync('/usr/lib/postgresql'),
  names: { apt: 'postgresql', dnf: 'postgresql-server', apk: 'postgresql', brew: 'postgresql' },
};
const PG_BOSS = fileURLToPath(new URL('../apps/bench/pg-boss', import.meta.url));
const ROOT = fileURLToPath(new URL('..', import.meta.url));

process.chdir(ROOT);
checkNode();
installDependencies();
if (process.argv.includes('--build')) build();
if (process.argv.includes('--redis')) ensure(REDIS);
if (process.argv.includes('--openssl')) ensure(OPENSSL);
if (process.argv.includes('--pg-boss')) {
  ensure(POSTGRES);
  installDependencies(PG_BOSS, ['--bin-links=false']);
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const fits = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 24;
  if (!fits) fail(`Node ${process.versions.node} does not fit: install Node 20.19, 22.12, or 24 or later.`);
}

/** `npm ci` in a folder, unless its node_modules was made from this very lock file by this kind of Node and machine. */
function installDependencies(folder = ROOT, options = []) {
  const stamp = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .update(`${process.platform} ${process.arch} ${process.versions.modules}`)
    .digest('hex');
  const stampFile = join(folder, 'node_modules/.setup');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  say(`installing dependencies (npm ci${folder === ROOT ? '' : ` in ${relative(ROOT, folder)}`})`);
  const npm = process.env.npm_execpath?.endsWith('npm-cli.js')
    ? [process.execPath, process.env.npm_execpath]
    : ['npm'];
  // No dependency needs its install script: what is native among them comes built.
  const args = [
    'ci',
    '--prefix',
    folder,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel',
    'error',
  ];
  run(
    [...npm, ...args, ...options],
    'The dependencies could not be installed: see the lines above. Is the npm registry within reach?',
  );
  writeFileSync(stampFile, stamp);
}

function build() {
  const compiler = 'node_modules/typescript-native/bin/tsc';
  run(
    [process.execPath, compiler, '-b', 'apps/order-timeout', 'apps/bench'],
    'The build failed: see the lines above.',
  );
}

/** Sees to a command on the PATH; ends with a message where that is not possible here. */
function ensure({ command, isThere, names }) {
  if (isThere()) return;
  const failed = `${command} could not be installed: see the lines above.`;
  if (process.platform === 'linux' && process.getuid?.() === 0 && has('apt-get')) {
    say(`installing ${command} (apt-get)`);
    // RUNLEVEL=1 keeps a package from starting a server of its own: the tests start theirs.
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    run(['apt-get', 'update', '-qq'], failed, env);
    run(['apt-get', 'install', '-qq', '-y', '--no-install-recommends', names.apt], failed, env);
  } else if (process.platform === 'darwin' && has('brew')) {
    say(`installing ${command} (brew)`);
    run(['brew', 'install', '--quiet', names.brew], failed);
  }
  if (!isThere()) {
    fail(
      `\`${command}\` is needed on the PATH, and it is not there. Install it and run this again:\n` +
        `  Debian, Ubuntu   sudo apt-get install ${names.apt}\n` +
        `  Fedora           sudo dnf install ${names.dnf}\n` +
        `  Alpine           sudo apk add ${names.apk}\n` +
        `  macOS            brew install ${names.brew}`,
    );
  }
}

/** Whether a redis-server is on the PATH; ends with a message where it is too old. */
function redisIsThere() {
  const { status, stdout } = spawnSync('redis-server', ['--version'], { encoding: 'utf8' });
  if (status !== 0) return false;
  const [, major, minor] = /v=(\d+)\.(\d+)/.exec(stdout) ?? [];
  const [oldestMajor, oldestMinor] = OLDEST_REDIS;
  const tooOld =
    Number(major) < oldestMajor || (Number(major) === oldestMajor && Number(minor) < oldestMinor);
  if (tooOld)
    fail(`redis-server ${major}.${minor} is on the PATH; ${OLDEST_REDIS.join('.')} or later is needed.`);
  return true;
}

function has(command, question = '--version') {
  return spawnSync(command, [question], { stdio: 'ignore' }).status === 0;
}

/** Runs a command to its end, what it prints going to standard error; ends with `onFailure` where it fails. */
function run([command, ...args], onFailure, env = process.env) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 2, 2], env });
  if (status !== 0) fail(error === undefined ? onFailure : `${onFailure}\n${error.message}`);
}

function say(what) {
  process.stderr.write(`setup: ${what} …\n`);
}

function fail(message) {
  process.stderr.write(`setup: ${message}\n`);
  process.exit(1);
}
