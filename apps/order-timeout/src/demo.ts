import 'reflect-metadata';
import { playDemo } from './demo/play-demo.js';

try {
  const asItMust = await playDemo(process.env['REDIS_URL'], (line) => console.log(line));
  process.exitCode = asItMust ? 0 : 1;
} catch (error) {
  console.error(`\nThe demo could not be played: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
