/** Where the queue reports. Nest's `Logger` fits, so does `console`. */
export interface Logger {
  log(message: string, ...details: unknown[]): void;
  warn(message: string, ...details: unknown[]): void;
  error(message: string, ...details: unknown[]): void;
}
