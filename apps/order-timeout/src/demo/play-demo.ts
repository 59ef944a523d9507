import { setTimeout as sleep } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module.js';
import { storageFrom } from '../settings.js';
import { StockService } from '../stock/stock.service.js';
import { FailingChannel } from './failing-channel.js';
import { report, type SceneResult } from './report.js';
import { ORDER_TIMEOUT_MS, SCENES, type Scene } from './scenes.js';
import { Shop } from './shop.js';
import { StoryLogger } from './story-logger.js';
import { waitUntil } from './wait-until.js';

/** How long after its time a scene may take to reach its end. */
const PATIENCE_MS = 10_000;
/** How long the demo watches afterwards that nothing more happens. */
const AFTERMATH_MS = 500;

/** Plays every scene in one running shop, printing what happens. Resolves to whether all came out as they must. */
export async function playDemo(
  redisUrl: string | undefined,
  print: (line: string) => void,
  namespace = 'shop-demo',
): Promise<boolean> {
  const { engine, name } = storageFrom(redisUrl);
  print(`Orders must be paid within ${ORDER_TIMEOUT_MS / 1_000} s. Messages are kept in ${name}.\n`);
  const channel = new FailingChannel();
  const delayQueue = { engine, namespace, retry: { backoff: '500ms' } };
  const app = await NestFactory.createApplicationContext(
    AppModule.with({ delayQueue, orderTimeout: ORDER_TIMEOUT_MS, noticeChannel: channel }),
    { logger: new StoryLogger(print) },
  );
  try {
    const shop = new Shop(app, channel);
    const stock = app.get(StockService);
    const before = stock.available('tea');
    const orderNos = await Promise.all(SCENES.map((scene) => play(shop, scene)));
    await sleep(AFTERMATH_MS);
    const results = SCENES.map((scene, index) => judge(shop, scene, orderNos[index] ?? ''));
    print(`\n${report(shop, results).join('\n')}`);

    const sold = results.filter(({ orderNo }) => shop.store.find(orderNo)?.status === 'paid').length;
    const stockIsRight = stock.available('tea') === before - sold;
    print(
      `\nTea: ${before} on the shelf before, ${sold} sold, ${stock.available('tea')} now${stockIsRight ? '' : ': WRONG'}`,
    );
    return stockIsRight && results.every((result) => result.asItMust);
  } finally {
    await app.close();
  }
}

/** Plays a scene and waits until its story is complete, or patience is at its end; returns the order's number. */
async function play(shop: Shop, scene: Scene): Promise<string> {
  const orderNo = await scene.play(shop);
  const isComplete = () => shop.story(orderNo).length >= scene.story.length;
  await waitUntil(isComplete, ORDER_TIMEOUT_MS + PATIENCE_MS);
  return orderNo;
}

function judge(shop: Shop, scene: Scene, orderNo: string): SceneResult {
  return { scene, orderNo, asItMust: shop.story(orderNo).join('\n') === scene.story.join('\n') };
}
