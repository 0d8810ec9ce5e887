/** Records of ended keys as one immutable array of bytes, which becomes base64 text in JSON. */
export class EndedChunk {
  /** The offset of each record in `#bytes`, followed by the end offset of the last record. */
  readonly #starts: Uint32Array
  readonly #bytes: Uint8Array

  private constructor(starts: Uint32Array, bytes: Uint8Array) {
    this.#starts = starts
    this.#bytes = bytes
  }

  static of(records: readonly Uint8Array[]): EndedChunk {
    const starts = new Uint32Array(records.length + 1)
    for (const [i, { length }] of records.entries()) starts[i + 1] = (starts[i] as number) + length
    const bytes = new Uint8Array(starts[records.length] as number)
    for (const [i, record] of records.entries()) bytes.set(record, starts[i] as number)
    return new EndedChunk(starts, bytes)
  }

  /** Reads a chunk from the text in a checkpoint. Throws RangeError for an invalid text. */
  static from(stored: EndedChunk | string): EndedChunk {
    if (stored instanceof EndedChunk) return stored
    const all = fromBase64(stored)
    const view = new DataView(all.buffer)
    const count = all.length < 4 ? -1 : view.getUint32(0)
    if (count < 0 || 4 + 4 * count > all.length) throw new RangeError('the checkpoint holds a chunk of ended keys that no release wrote')
    const starts = new Uint32Array(count + 1)
    for (let i = 0; i < count; i++) starts[i + 1] = view.getUint32(4 + 4 * i)
    const bytes = all.subarray(4 + 4 * count)
    if (starts[count] !== bytes.length) throw new RangeError('the checkpoint holds a chunk of ended keys that is cut short')
    return new EndedChunk(starts, bytes)
  }

  get byteLength(): number {
    return this.#bytes.byteLength + this.#starts.byteLength
  }

  record(position: number): Uint8Array {
    return this.#bytes.subarray(this.#starts[position], this.#starts[position + 1])
  }

  *records(): Generator<Uint8Array, void> {
    for (let i = 0; i + 1 < this.#starts.length; i++) yield this.record(i)
  }

  toJSON(): string {
    const count = this.#starts.length - 1
    const all = new Uint8Array(4 + 4 * count + this.#bytes.length)
    const view = new DataView(all.buffer)
    view.setUint32(0, count)
    for (let i = 0; i < count; i++) view.setUint32(4 + 4 * i, this.#starts[i + 1] as number)
    all.set(this.#bytes, 4 + 4 * count)
    return toBase64(all)
  }
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const values = new Uint8Array(128)
for (let i = 0; i < LETTERS.length; i++) values[LETTERS.charCodeAt(i)] = i

/** The core does not depend on a platform, so it does not use the base64 functions of Node or of browsers. */
function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = []
  for (let i = 0; i < bytes.length; i += 3) {
    const [a = 0, b = 0, c = 0] = [bytes[i], bytes[i + 1], bytes[i + 2]]
    const all = (a << 16) | (b << 8) | c
    const left = bytes.length - i
    pieces.push(
      LETTERS.charAt(all >> 18) +
        LETTERS.charAt((all >> 12) & 63) +
        (left > 1 ? LETTERS.charAt((all >> 6) & 63) : '=') +
        (left > 2 ? LETTERS.charAt(all & 63) : '='),
    )
  }
  return pieces.join('')
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const pad = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const bytes = new Uint8Array((text.length / 4) * 3 - pad)
  for (let i = 0, to = 0; i < text.length; i += 4) {
    let all = 0
    for (let j = 0; j < 4; j++) all = (all << 6) | (values[text.charCodeAt(i + j)] ?? 0)
    for (let shift = 16; shift >= 0 && to < bytes.length; shift -= 8) bytes[to++] = (all >> shift) & 255
  }
  return bytes
}
