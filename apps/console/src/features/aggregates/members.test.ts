import { describe, expect, test } from 'vitest'
import { type PackedMembers, readMembers } from './members.ts'

const pack = (array: Uint8Array | Uint16Array): string => Buffer.from(array.buffer).toString('base64')

const packed: PackedMembers = {
  names: ['h1', 'rack', 'rack', 'rack', 'h2'],
  dictionaries: [
    { column: 'STATE', values: ['UP', 'DOWN'] },
    { column: 'STATUS', values: ['ENABLED', 'DRAINING'] },
    { column: 'AZ', values: ['z1', 'z2'] },
  ],
  columns: [
    { name: 'STATE', elementType: 'U8', data: pack(Uint8Array.of(0, 0, 1, 0, 1)) },
    { name: 'STATUS', elementType: 'U8', data: pack(Uint8Array.of(0, 0, 0, 0, 1)) },
    { name: 'AZ', elementType: 'U16', data: pack(Uint16Array.of(0, 1, 1, 1, 1)) },
  ],
}

describe('readMembers', () => {
  test.each([
    ['the words of a host with one node', 'h1', { state: 'up', status: 'enabled', zone: 'z1' }],
    ['the counts of nodes with different states', 'rack', { state: 'up 2, down 1', status: 'enabled', zone: 'z2' }],
    ['the words of a host that is down and draining', 'h2', { state: 'down', status: 'draining', zone: 'z2' }],
    ['nothing for a host that never reported', 'h3', undefined],
  ])('returns %s', (_name, host, words) => expect(readMembers(packed).get(host)).toEqual(words))

  test('returns no members without hosts', () => expect(readMembers({ names: [], dictionaries: [], columns: [] }).size).toBe(0))
})
