import { describe, expect, test } from 'vitest'
import { StoreUnavailableError } from '../synchronizer.ts'
import { CameSecondError, StreamFullError, sequenceIn } from './publish.ts'

describe('an acknowledgement', () => {
  const read = (text: string): number => sequenceIn(text, 'LOG', 'gantt.log')

  test('gives the sequence', () => {
    expect(read('{"stream":"LOG","seq":7}')).toBe(7)
  })

  test.each<[string, string, string]>([
    ['of another stream is none', '{"stream":"OTHER","seq":7}', 'the stream OTHER took a message there'],
    ['that names no stream is none', '{"seq":7}', 'the stream undefined took a message there'],
    ['without a sequence is none', '{"stream":"LOG"}', 'its answer names no sequence'],
    ['that is no JSON is none', '+OK', 'its answer names no sequence'],
    ['that is null is none', 'null', 'its answer names no sequence'],
    ['of a refusal says why', '{"error":{"err_code":1,"description":"no"}}', 'the stream LOG takes no message: no'],
  ])('%s', (_what, text, message) => {
    expect(() => read(text)).toThrow(StoreUnavailableError)
    expect(() => read(text)).toThrow(message)
  })

  test('distinguishes a stream that is full from a message that came second', () => {
    expect(() => read('{"error":{"err_code":10077}}')).toThrow(StreamFullError)
    expect(() => read('{"error":{"err_code":10071}}')).toThrow(CameSecondError)
  })
})
