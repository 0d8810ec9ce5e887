import { describe, expect, test } from 'vitest'
import type { ApiKey } from '../api-keys.ts'
import { KEY_EDIT_FORMAT, type KeyEdit, KeyFold } from './key-fold.ts'

const key = (id: string): ApiKey => ({
  ...{ id, name: id, account: 'a', prefix: id, scopes: ['READ'], hosts: [], maxNodes: null, project: null, replaces: null },
  ...{ createdAt: 1, expiresAt: null, revokedAt: null, lastUsedAt: null },
})
const insert = (id: string, after: string): KeyEdit => ({
  ...{ format: KEY_EDIT_FORMAT, id: `edit-${id}`, after },
  writes: [{ type: 'insert', key: key(id), hash: `hash-${id}` }],
})

/** Applies these edits in order, and returns their outcomes. */
function fold(...edits: readonly unknown[]) {
  const keys = new KeyFold()
  const counted = edits.map((edit, i) => keys.apply(edit, i + 1))
  return { counted, ids: keys.list().map((held) => held.key.id), keys }
}

describe('edits of keys, judged in their order', () => {
  test.each<[string, readonly unknown[], readonly boolean[], readonly string[]]>([
    ['each is based on the one before', [insert('a', ''), insert('b', 'edit-a')], [true, true], ['a', 'b']],
    ['of two with the same basis the second is void', [insert('a', ''), insert('b', '')], [true, false], ['a']],
    ['a repeated one counts once', [insert('a', ''), insert('a', ''), insert('b', 'edit-a')], [true, false, true], ['a', 'b']],
    ['one that is based on a void one is void', [insert('a', ''), insert('b', ''), insert('c', 'edit-b')], [true, false, false], ['a']],
    ['other messages are ignored', [undefined, 7, { format: 1 }, insert('a', '')], [false, false, false, true], ['a']],
  ])('%s', (_what, edits, counted, ids) => {
    const found = fold(...edits)
    expect([found.counted, found.ids]).toEqual([counted, ids])
  })

  test('a revocation changes the key, which then has the sequence of that edit', () => {
    const revoke: KeyEdit = { format: 1, id: 'r', after: 'edit-a', writes: [{ type: 'revoke', id: 'a', at: 9 }] }
    const { keys } = fold(insert('a', ''), revoke)
    expect(keys.byId.get('a')).toMatchObject({ key: { revokedAt: 9 }, hash: 'hash-a', sequence: 2 })
  })

  test('after an edit in the format of a newer release the keys are unknown', () => {
    const { keys, counted } = fold(insert('a', ''), { ...insert('b', 'edit-a'), format: 2 }, insert('c', 'edit-a'))
    expect([counted, keys.unreadable]).toEqual([[true, false, false], 'an edit of keys has format 2; this release reads 1'])
  })
})
