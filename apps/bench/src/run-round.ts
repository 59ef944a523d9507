import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import type { RoundName, RoundOrder } from './round-process.js';
import type { RoundInput, RoundOutput } from './rounds/round.js';

/** Rounds that go on where another one left Redis. */
const CONTINUING: readonly RoundName[] = ['delay-queue drain', 'bullmq drain', 'bare drain'];

/** Runs one round in a fresh process, on an emptied Redis. `profileDir` gets a CPU profile of that process. */
export async function runRound(
  name: RoundName,
  input: RoundInput,
  profileDir?: string,
): Promise<RoundOutput> {
  if (!CONTINUING.includes(name)) await emptyRedis(input.redisPort);
  const execArgv = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`];
  const child = fork(fileURLToPath(new URL('round-process.js', import.meta.url)), { execArgv });
  const order: RoundOrder = { name, input };
  child.send(order);
  return new Promise((resolve, reject) => {
    let output: RoundOutput | undefined;
    child.once('message', (message) => (output = message as RoundOutput));
    child.once('error', reject);
    child.once('exit', (code) => {
      if (output === undefined)
        reject(new Error(`the round '${name}' ended with code ${code} and no figures`));
      else resolve(output);
    });
  });
}

async function emptyRedis(port: number): Promise<void> {
  const client = new Redis({ port });
  await client.flushall();
  client.disconnect();
}
