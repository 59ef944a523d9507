import { setTimeout as sleep } from 'node:timers/promises';
import { DelayQueueContext } from '@delay-queue/nestjs';
import type { DelayEngine } from '@delay-queue/core';
import { bootApp, TOPIC } from './bench-app.js';
import { Countdown } from './countdown.js';
import { CONTENT } from './message.js';
import { percentiles } from './percentiles.js';
import type { Round } from './round.js';

const CONSUMERS = 20;
const TICK_MS = 100;
const DELAY_MS = 500;

/**
 * Twenty consumers with connections and worker ids of their own, each for all five regions of a topic that few
 * messages come for: claims per message, those that find nothing included, and how late the messages are.
 */
export const delayQueueFleet: Round = async (input) => {
  const { messages, rate = 1 } = input;
  const lateMs: number[] = [];
  const countdown = new Countdown(messages);
  let claims = 0;
  const counted = (engine: DelayEngine): DelayEngine => {
    const claim = engine.claim.bind(engine);
    engine.claim = (...call) => {
      claims++;
      return claim(...call);
    };
    return engine;
  };
  const handler = {
    handle({ dueAt }: { readonly dueAt: number }) {
      lateMs.push(Date.now() - dueAt);
      countdown.hit();
    },
  };
  const apps = [];
  for (let i = 0; i < CONSUMERS; i++) apps.push(await bootApp(input, {}, handler, counted));
  const producer = await bootApp(input, { role: 'producer' });
  const delayQueue = producer.get(DelayQueueContext);
  claims = 0;
  const began = performance.now();
  for (let sent = 0; sent < messages;) {
    const owed = Math.min(messages, ((performance.now() - began) * rate) / 1_000);
    for (; sent < owed; sent++) await delayQueue.send(TOPIC, CONTENT, DELAY_MS);
    await sleep(TICK_MS);
  }
  await countdown.reached;
  const claimed = claims;
  await Promise.all([...apps, producer].map((app) => app.close()));
  return { claims: claimed / messages, ...percentiles(lateMs) };
};
