import type { InjectableOptions } from '@nestjs/common';
import { SCOPE_OPTIONS_METADATA } from '@nestjs/common/constants.js';
import 'reflect-metadata';

/** The scope that Nest reads from a class, its own or a base's. */
export function scopeOf(target: object): InjectableOptions | undefined {
  return Reflect.getMetadata(SCOPE_OPTIONS_METADATA, target) as InjectableOptions | undefined;
}
