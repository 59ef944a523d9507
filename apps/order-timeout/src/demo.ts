import 'reflect-metadata';
import { playDemo } from './demo/play-demo.js';

const asItMust = await playDemo(process.env['REDIS_URL'], (line) => console.log(line));
process.exitCode = asItMust ? 0 : 1;
