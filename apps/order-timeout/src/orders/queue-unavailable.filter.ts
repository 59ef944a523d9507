import { type ArgumentsHost, Catch, HttpStatus, Logger, type ExceptionFilter } from '@nestjs/common';
import { DelayQueueError } from '@delay-queue/nestjs';

/** Answers 503 when the delay queue could not take a message: the customer may try again. */
@Catch(DelayQueueError)
export class QueueUnavailableFilter implements ExceptionFilter<DelayQueueError> {
  private readonly logger = new Logger('Order');

  catch(error: DelayQueueError, host: ArgumentsHost): void {
    this.logger.error(error.message);
    const response = host
      .switchToHttp()
      .getResponse<{ status(code: number): { json(body: object): void } }>();
    response.status(HttpStatus.SERVICE_UNAVAILABLE).json({ outcome: 'try-again-later', code: error.code });
  }
}
