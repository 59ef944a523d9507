/*
 * `node --conditions=@delay-queue/source --import <this file> program.ts`: runs TypeScript with decorators and
 * their metadata, and the packages from source, so that tests can put programs of their own into real processes.
 */
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
