import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiKeyStore } from './api-keys.ts'
import type { StoresEngine, StoresPlace } from './stores.suite.ts'
import type { Stores } from './stores.ts'

const aKey = (name: string) => ({ name, account: 'suite', scopes: ['READ', 'CLAIM'] as const })

/** Tests that an engine's store of API keys obeys the laws of api-keys.ts. */
export function apiKeysSuite(engine: StoresEngine): void {
  describe(`the API keys of the ${engine.name} engine`, () => {
    let place: StoresPlace
    let replicas: [Stores, Stores]
    let keys: ApiKeyStore
    let others: ApiKeyStore
    beforeAll(async () => {
      place = await engine.createPlace()
      replicas = [await place.open(), await place.open()]
      ;[keys, others] = [replicas[0].keys, replicas[1].keys]
    })
    afterAll(async () => {
      await Promise.all(replicas.map((each) => each.close()))
      await place.drop()
    })
    const seen = (holds: () => boolean) => expect.poll(holds).toBe(true)

    test('a key can be found by its secret, and has the values with which it was created', async () => {
      const { key, secret } = await keys.create({ ...aKey('first'), hosts: ['h1'], maxNodes: 40, expiresAt: Date.now() + 60_000 })
      expect(key).toMatchObject({ hosts: ['h1'], maxNodes: 40 })
      expect(keys.verify(secret)).toMatchObject({ ...key, lastUsedAt: null })
      await seen(() => others.verify(secret)?.maxNodes === 40)
      expect(keys.verify(`${secret}x`)).toBeUndefined()
      expect(JSON.stringify(keys.list())).not.toContain(secret)
    })

    test('a revoked key becomes invalid on its replica at once and on others soon, and stays in the list', async () => {
      const living = await keys.create(aKey('living'))
      const { key, secret } = await keys.create(aKey('revoked'))
      const at = Date.now()
      await keys.edit(() => ({ writes: [{ type: 'revoke', id: key.id, at }], answer: undefined }))
      expect(keys.verify(secret)).toBeUndefined()
      expect(keys.list().find(({ id }) => id === key.id)?.revokedAt).toBe(at)
      await seen(() => others.list().some(({ id, revokedAt }) => id === key.id && revokedAt === at))
      expect(others.verify(secret)).toBeUndefined()
      expect(others.verify(living.secret)).toMatchObject(living.key)
    })

    test('the secret of an expired key is invalid', async () => {
      const { key, secret } = await keys.create(aKey('expires'))
      await keys.edit(() => ({ writes: [{ type: 'expire', id: key.id, at: Date.now() - 1 }], answer: undefined }))
      expect(keys.verify(secret)).toBeUndefined()
    })

    test('an edit of a key is decided after all earlier edits of all replicas', async () => {
      const name = `counted ${randomUUID()}`
      const addOne = (store: ApiKeyStore) =>
        store.edit((all) => {
          const count = all.filter((key) => key.name.startsWith(name)).length
          const id = randomUUID()
          const key = {
            ...{ ...aKey(`${name} ${count}`), id, prefix: id, hosts: [], maxNodes: null, project: null, expiresAt: null },
            ...{ replaces: null, createdAt: Date.now(), revokedAt: null, lastUsedAt: null },
          }
          return { writes: [{ type: 'insert', key, hash: id }], answer: count }
        })
      const counts = await Promise.all([keys, others, keys, others, keys, others].map(addOne))
      expect([...counts].sort()).toEqual([0, 1, 2, 3, 4, 5])
    })

    test('an edit that decides to write nothing changes nothing, and its errors are rethrown', async () => {
      const count = () => keys.edit((all) => ({ writes: [], answer: all.length }))
      const before = await count()
      await expect(
        keys.edit(() => {
          throw new Error('no')
        }),
      ).rejects.toThrow('no')
      expect(await count()).toBe(before)
    })

    test('replicas that start together with one admin secret create one key', async () => {
      const secret = `an-admin-key-${randomUUID()}`
      const made = await Promise.all([keys, others].map((store) => store.create({ ...aKey('admin'), secret })))
      expect(new Set(made.map(({ key }) => key.id)).size).toBe(1)
      expect(keys.verify(secret)?.id).toBe(made[0]?.key.id)
    })

    test('a replica that starts later has all keys, in the order of their creation', async () => {
      const late = await place.open()
      const names = (store: ApiKeyStore) => store.list().map(({ id, revokedAt, expiresAt }) => [id, revokedAt, expiresAt])
      expect([...names(late.keys)].sort()).toEqual([...names(keys)].sort())
      expect(late.keys.list()[0]?.name).toBe('first')
      await late.close()
    })

    test('the last use of a key is visible within seconds', async () => {
      const { secret, key } = await keys.create(aKey('used'))
      const before = Date.now()
      keys.verify(secret)
      expect(keys.list().find(({ id }) => id === key.id)?.lastUsedAt).toBeGreaterThanOrEqual(before)
    })
  })
}
