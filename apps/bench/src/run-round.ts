import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { RoundName } from './round-process.js';
import type { RoundInput, RoundOutput } from './rounds/round.js';

/** Runs one round in a fresh process. `profileDir` gets a CPU profile of that process. */
export function runRound(name: RoundName, input: RoundInput, profileDir?: string): Promise<RoundOutput> {
  const execArgv = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`];
  return runProcess(new URL('round-process.js', import.meta.url), { name, input }, { execArgv });
}

/** Runs a file in a process of its own, tells it what to do, and gives what it answers. */
export function runProcess(
  file: URL,
  order: { readonly name: string; readonly input: object },
  options: { readonly execArgv?: string[]; readonly execPath?: string },
): Promise<RoundOutput> {
  const child = fork(fileURLToPath(file), options);
  child.send(order);
  return new Promise((resolve, reject) => {
    let output: RoundOutput | undefined;
    child.once('message', (message) => (output = message as RoundOutput));
    child.once('error', reject);
    child.once('exit', (code) => {
      if (output === undefined)
        reject(new Error(`the round '${order.name}' ended with code ${code} and no figures`));
      else resolve(output);
    });
  });
}
