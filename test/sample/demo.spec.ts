import { expect, inject, it } from 'vitest';
import { playDemo } from '../../apps/order-timeout/src/demo/play-demo.js';
import { uniqueNamespace } from '../support/unique.js';

const SCENES = [
  'nobody pays',
  'paid in time',
  'paid too late',
  'message without an order',
  'paid, but the timer was not stopped',
  'the handler fails once',
  'the message comes twice',
];

it.each([
  ['memory', undefined],
  ['Redis', inject('redisUrl')],
])(
  'the demo comes out as it must with messages in %s, and says where they are',
  async (storage, redisUrl) => {
    const lines: string[] = [];
    const asItMust = await playDemo(redisUrl, (line) => lines.push(line), uniqueNamespace());
    const output = lines.join('\n');
    expect(asItMust, output).toBe(true);
    expect(output).toContain(`Messages are kept in ${storage}`);
    for (const scene of SCENES) expect(output).toMatch(new RegExp(`^ok +${scene} `, 'm'));
  },
);
