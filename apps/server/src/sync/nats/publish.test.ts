import { describe, expect, test } from 'vitest'
import { StoreUnavailableError } from '../synchronizer.ts'
import { CameSecondError, StreamFullError, sequenceIn } from './publish.ts'

describe('an acknowledgement', () => {
  const read = (text: string): number => sequenceIn(text, 'LOG', 'gantt.log')

  test('the sequence is read from an acknowledgement', () => {
    expect(read('{"stream":"LOG","seq":7}')).toBe(7)
  })

  test.each<[string, string, string]>([
    ['of another stream is refused', '{"stream":"OTHER","seq":7}', 'the stream OTHER stored the message'],
    ['without a stream is refused', '{"seq":7}', 'the stream undefined stored the message'],
    ['without a sequence is refused', '{"stream":"LOG"}', 'its answer names no sequence'],
    ['that is not JSON is refused', '+OK', 'its answer names no sequence'],
    ['that is null is refused', 'null', 'its answer names no sequence'],
    ['that is a refusal gives the reason', '{"error":{"err_code":1,"description":"no"}}', 'the stream LOG refused the message: no'],
  ])('%s', (_what, text, message) => {
    expect(() => read(text)).toThrow(StoreUnavailableError)
    expect(() => read(text)).toThrow(message)
  })

  test('a full stream and a message that does not follow the expected one cause different errors', () => {
    expect(() => read('{"error":{"err_code":10077}}')).toThrow(StreamFullError)
    expect(() => read('{"error":{"err_code":10071}}')).toThrow(CameSecondError)
  })
})
