/** Writes values to a sequence of bytes: texts, integers in few bytes, and floating-point numbers exactly. */
export class ByteWriter {
  #bytes = takeBuffer()
  #length = 0

  byte(value: number): void {
    if (this.#length === this.#bytes.length) this.#bytes = enlarged(this.#bytes)
    this.#bytes[this.#length++] = value
  }

  /** Writes an integer from 0 to 2^53 - 1 as a varint: seven bits in each byte, lowest bits first. */
  whole(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is not a whole number from 0 to 2^53 - 1`)
    let rest = value
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.byte((rest % 128) + 128)
    this.byte(rest)
  }

  /** Writes a text as its UTF-16 code units. Therefore, every text is restored exactly. Common characters take one byte. */
  text(value: string): void {
    this.whole(value.length)
    for (let i = 0; i < value.length; i++) this.whole(value.charCodeAt(i))
  }

  /**
   * Writes a number as its difference from the number `before`, which takes few bytes if the numbers are close. A tag is written first. Tag
   * 0: the numbers are equal. An odd tag contains the difference between two integers. An even tag specifies which bytes of the binary
   * forms differ, and these bytes follow.
   */
  near(value: number, before: number): void {
    if (Object.is(value, before)) {
      this.byte(0)
      return
    }
    if (isPlain(value) && isPlain(before)) {
      this.whole(2 * zigzag(value - before) + 1)
      return
    }
    setNumber(value, valueView)
    setNumber(before, beforeView)
    let [first, last] = [0, NUMBER_BYTES - 1]
    while (valueBytes[first] === beforeBytes[first]) first++
    while (valueBytes[last] === beforeBytes[last]) last--
    this.whole(2 + 2 * (8 * first + last))
    for (let i = first; i <= last; i++) this.byte((valueBytes[i] as number) ^ (beforeBytes[i] as number))
  }

  /** Returns a copy of the written bytes. The writer is empty afterwards. */
  end(): Uint8Array {
    const written = this.#bytes.slice(0, this.#length)
    if (this.#bytes.length <= MAX_SPARE_BYTES) spare = this.#bytes
    this.#bytes = NOTHING
    this.#length = 0
    return written
  }
}

/** A larger buffer is not kept for the next writer. */
const MAX_SPARE_BYTES = 65_536
const FIRST_BYTES = 1_024
const NOTHING = new Uint8Array(0)

/** The buffer of the last writer, for the next one, because most writers are used for a moment. */
let spare: Uint8Array<ArrayBuffer> | undefined

function takeBuffer(): Uint8Array<ArrayBuffer> {
  const taken = spare ?? NOTHING
  spare = undefined
  return taken
}

function enlarged(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(FIRST_BYTES, 2 * bytes.length))
  larger.set(bytes)
  return larger
}

/** Reads bytes that a ByteWriter wrote. Throws RangeError for other bytes. */
export class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  byte(): number {
    const value = this.#bytes[this.#at++]
    if (value === undefined) throw new RangeError(`the bytes end at ${this.#bytes.length}; more were expected`)
    return value
  }

  whole(): number {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte()
      value += (byte & 127) * factor
      if (value > Number.MAX_SAFE_INTEGER) throw new RangeError(`the number that ends at byte ${this.#at} is larger than 2^53 - 1`)
      if (byte < 128) return value
    }
  }

  text(): string {
    const length = this.whole()
    if (length > this.#bytes.length - this.#at) throw new RangeError(`a text of length ${length} at byte ${this.#at} is cut short`)
    let value = ''
    for (let i = 0; i < length; i++) value += String.fromCharCode(this.whole())
    return value
  }

  near(before: number): number {
    const tag = this.whole()
    if (tag === 0) return before
    if (tag % 2 === 1) return before + unzigzag((tag - 1) / 2)
    const range = tag / 2 - 1
    const [first, last] = [Math.floor(range / 8), range % 8]
    if (first > last || first > 7) throw new RangeError(`${tag} at byte ${this.#at} is not the tag of a number`)
    setNumber(before, valueView)
    for (let i = first; i <= last; i++) valueBytes[i] = (valueBytes[i] as number) ^ this.byte()
    return valueView.getFloat64(0)
  }
}

/** If two whole numbers are at most this large, the doubled difference between them is exact. */
const PLAIN = 2 ** 50

const isPlain = (value: number): boolean => Number.isInteger(value) && Math.abs(value) <= PLAIN && !Object.is(value, -0)

const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value)

const unzigzag = (value: number): number => (value % 2 === 1 ? -(value + 1) / 2 : value / 2)

const NUMBER_BYTES = 8
// the buffers are allocated once, because a decision writes thousands of numbers, and each allocation outside of V8's heap can start a
// garbage collection
const valueView = new DataView(new ArrayBuffer(NUMBER_BYTES))
const valueBytes = new Uint8Array(valueView.buffer)
const beforeView = new DataView(new ArrayBuffer(NUMBER_BYTES))
const beforeBytes = new Uint8Array(beforeView.buffer)

function setNumber(value: number, view: DataView): void {
  // engines can use different bits for NaN, so fixed bits are written: the next number is written as the difference from these bits
  if (Number.isNaN(value)) {
    view.setUint32(0, 0x7ff80000)
    view.setUint32(4, 0)
  } else view.setFloat64(0, value)
}
