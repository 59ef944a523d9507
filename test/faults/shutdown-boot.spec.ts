import { expect, it, onTestFinished } from 'vitest';
import { freePort, startRedis } from '../support/redis-server.js';
import { startClosing } from './support/closing.js';
import type { Scene } from './support/deeds.js';

/** What comes of it with Redis up, without persistence, and with Redis away. */
const SCENES: readonly { readonly scene: Scene; readonly up: RegExp; readonly away: RegExp }[] = [
  { scene: 'strict', up: /^failed .*appendonly/, away: /^failed .*ECONNREFUSED/ },
  { scene: 'another part fails', up: /^failed .*no database/, away: /^failed .*no database/ },
  { scene: 'closed while it is made', up: /^failed .*has stopped/, away: /^failed .*has stopped/ },
  { scene: 'closed while it boots', up: /^ready/, away: /^ready/ },
  { scene: 'closed at once', up: /^ready/, away: /^ready/ },
];

it.each(SCENES)(
  'an application that never quite boots ends by itself: $scene',
  async ({ scene, up, away }) => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    await Promise.all([expectEnd(scene, server.port, up), expectEnd(scene, await freePort(), away)]);
  },
);

async function expectEnd(scene: Scene, port: number, outcome: RegExp): Promise<void> {
  const child = startClosing('half-boot', { REDIS_URL: `redis://127.0.0.1:${port}`, SCENE: scene });
  const { code, signal, errors } = await child.ended;
  expect({ code, signal, errors }).toEqual({ code: 0, signal: null, errors: '' });
  const [first, last, ...rest] = child.lines.map((line) => ({ message: '', active: [], ...line }));
  expect(`${first?.event} ${first?.message}`).toMatch(outcome);
  expect(last).toMatchObject({ event: 'closed', active: [] });
  expect(rest).toEqual([]);
}
