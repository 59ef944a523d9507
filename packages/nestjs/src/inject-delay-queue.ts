import { Inject } from '@nestjs/common';
import { getDelayQueueToken } from './tokens.js';

/**
 * Injects the `DelayQueueContext` of the instance `name`. For the default instance the class as a constructor
 * parameter type is enough.
 *
 * @param name as given to `forRoot`. @default 'default'
 */
export const InjectDelayQueue = (name?: string): PropertyDecorator & ParameterDecorator =>
  Inject(getDelayQueueToken(name));
