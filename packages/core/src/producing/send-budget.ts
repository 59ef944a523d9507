/** Whoever waits for room. */
export interface RoomSeeker {
  /** Does not want it any more. */
  readonly settled: boolean;
  /** There is room: it is taken. Must not throw. */
  admitted(): void;
}

/** Bounds the unsettled sends of an instance; who finds no room waits in line. */
export class SendBudget {
  private taken = 0;
  private line: RoomSeeker[] = [];
  private next = 0;
  private gone = 0;

  constructor(private readonly maxPending: number) {}

  /** Takes room, if there is some. */
  take(): boolean {
    if (this.taken >= this.maxPending) return false;
    this.taken++;
    return true;
  }

  /** Waits for room, first come first served. */
  wait(seeker: RoomSeeker): void {
    this.line.push(seeker);
  }

  /** Someone in the line has settled; the line is tidied up once half of it has. */
  left(): void {
    if (++this.gone < 1_000 || this.gone * 2 < this.line.length - this.next) return;
    this.line = this.line.slice(this.next).filter((seeker) => !seeker.settled);
    this.next = 0;
    this.gone = 0;
  }

  /** Gives room back, to the next in line if there is one. */
  release(): void {
    while (this.next < this.line.length) {
      const seeker = this.line[this.next++];
      if (this.next === this.line.length) {
        this.line = [];
        this.next = 0;
        this.gone = 0;
      } else if (this.next >= 1_000 && this.next * 2 > this.line.length) {
        this.line = this.line.slice(this.next);
        this.next = 0;
      }
      if (seeker === undefined || seeker.settled) continue;
      seeker.admitted();
      return;
    }
    this.taken--;
  }
}
