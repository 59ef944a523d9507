/**
 * Reads lists of texts that a script packed with `cmsgpack.pack(list, …)`. A reply of many parts costs the client
 * several times as much, because its parser makes a `Buffer` of each.
 *
 * Format: https://github.com/msgpack/msgpack/blob/master/spec.md, of which this reads arrays of strings.
 *
 * @throws Error for anything else
 */
export function readPackedLists(bytes: Buffer): string[][] {
  const pack = new Pack(bytes);
  const lists: string[][] = [];
  while (pack.at < bytes.length) {
    const list: string[] = [];
    for (let left = pack.listLength(); left > 0; left--) list.push(pack.text());
    lists.push(list);
  }
  return lists;
}

class Pack {
  at = 0;

  constructor(private readonly bytes: Buffer) {}

  listLength(): number {
    const kind = this.byte();
    if ((kind & 0xf0) === 0x90) return kind & 0x0f;
    if (kind === 0xdc) return this.number(2);
    if (kind === 0xdd) return this.number(4);
    throw this.unexpected(kind, 'a list');
  }

  text(): string {
    const length = this.textLength();
    const end = this.at + length;
    const text = this.bytes.toString('utf8', this.at, end);
    this.at = end;
    return text;
  }

  private textLength(): number {
    const kind = this.byte();
    if ((kind & 0xe0) === 0xa0) return kind & 0x1f;
    if (kind === 0xd9) return this.byte();
    if (kind === 0xda) return this.number(2);
    if (kind === 0xdb) return this.number(4);
    throw this.unexpected(kind, 'a text');
  }

  private number(size: number): number {
    let value = 0;
    for (let i = 0; i < size; i++) value = value * 256 + this.byte();
    return value;
  }

  private byte(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw new Error('a packed reply ends too soon');
    return byte;
  }

  private unexpected(kind: number, wanted: string): Error {
    return new Error(`a packed reply has 0x${kind.toString(16)} at ${this.at - 1} where ${wanted} should be`);
  }
}
