import 'reflect-metadata';
import type { DelayConsumerOptions } from './delay-consumer-options.js';

/** A string, so that a second copy of this package finds the same classes. */
const CONSUMER = 'delay-queue:consumer';

/** What `@DelayConsumer` leaves on a class. */
export interface ConsumerDeclaration {
  readonly topic: string;
  readonly options: DelayConsumerOptions;
}

/** Leaves a declaration on the class itself. */
export function declareConsumer(target: object, declaration: ConsumerDeclaration): void {
  Reflect.defineMetadata(CONSUMER, declaration, target);
}

/** Whether the class itself, not only a base of it, has a declaration. */
export const declaresConsumer = (target: object): boolean => Reflect.hasOwnMetadata(CONSUMER, target);

/** The declaration of the class or the nearest base that has one. */
export function consumerDeclarationOf(target: object): ConsumerDeclaration | undefined {
  return Reflect.getMetadata(CONSUMER, target) as ConsumerDeclaration | undefined;
}
