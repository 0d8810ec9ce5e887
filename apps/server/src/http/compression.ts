import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** How a body can be written shorter, the better one first. */
const encodings = ['br', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

/** Bytes below which a body goes out as it is: packing it would save no packet. */
export const LEAST_TO_COMPRESS = 1_024

/** 5 is the least that looks for repeats far back: as fast as gzip, and smaller; packed columns are a fifth larger at 4. */
const QUALITY = 5

/** Bytes from which somebody waits for the packing itself: columns of a large fleet. */
const LARGE = 1 << 20
/** A quarter of the time for a fifth more bytes; 3 and 4 give less for more. */
const QUALITY_OF_LARGE = 2

/** The encoding that an Accept-Encoding header likes best among ours; undefined when it takes none of them. */
export function acceptedEncoding(header: string | null | undefined): Encoding | undefined {
  const weights = new Map(
    (header ?? '').split(',').map((part): [string, number] => {
      const [name = '', ...options] = part.split(';').map((word) => word.trim().toLowerCase())
      const weight = options.find((option) => option.startsWith('q='))
      return [name, weight === undefined ? 1 : Number(weight.slice(2))]
    }),
  )
  const weightOf = (name: Encoding) => weights.get(name) ?? weights.get('*') ?? 0
  const [best] = encodings.filter((name) => weightOf(name) > 0).sort((a, b) => weightOf(b) - weightOf(a))
  return best
}

const toBrotli = promisify(brotliCompress)
const toGzip = promisify(gzip)

/** Works on a thread of its own: other calls are answered meanwhile. */
export function compress(body: Uint8Array, encoding: Encoding): Promise<Buffer<ArrayBuffer>> {
  // the thread waits for this one each time that so many bytes are full: a busy service would take a second for each megabyte
  const chunkSize = Math.max(body.byteLength, constants.Z_DEFAULT_CHUNK)
  if (encoding === 'gzip') return toGzip(body, { chunkSize })
  const quality = body.byteLength < LARGE ? QUALITY : QUALITY_OF_LARGE
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength }
  return toBrotli(body, { chunkSize, params })
}
