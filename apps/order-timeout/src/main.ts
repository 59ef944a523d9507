import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { storageFrom } from './settings.js';

const { REDIS_URL, ORDER_TIMEOUT = '30m', PORT = '3000' } = process.env;
const { engine, name } = storageFrom(REDIS_URL);
const app = await NestFactory.create(
  AppModule.with({ delayQueue: { engine, namespace: 'shop' }, orderTimeout: ORDER_TIMEOUT }),
);
app.enableShutdownHooks(); // SIGTERM drains the consumers before the process ends
await app.listen(PORT);
new Logger('Shop').log(
  `serving ${await app.getUrl()}; unpaid orders end after ${ORDER_TIMEOUT}; messages are in ${name}`,
);
