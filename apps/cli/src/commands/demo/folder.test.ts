import fs from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDemoFolder } from './folder.ts'

let root: string

beforeAll(() => {
  root = fs.mkdtempSync(path.join(tmpdir(), 'gantt-demo-folder-'))
})

afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

const aFolder = (name: string): string => {
  const folder = path.join(root, name)
  fs.mkdirSync(folder)
  return folder
}

test('a key is generated once, stored so that only its owner can read it, and read at the next start', () => {
  const folder = aFolder('kept')
  const first = openDemoFolder(folder)
  expect(fs.readdirSync(folder)).toEqual([])
  first.keepKey()
  expect(fs.readdirSync(folder)).toEqual(['demo.key'])
  expect(fs.statSync(path.join(folder, 'demo.key')).mode & 0o777).toBe(0o600)
  expect(openDemoFolder(folder).key).toBe(first.key)
  expect(openDemoFolder(aFolder('other')).key).not.toBe(first.key)
})

test('a key from the environment is used and not written', () => {
  const folder = aFolder('given')
  const given = openDemoFolder(folder, 'a-key-of-the-operator')
  expect(given.key).toBe('a-key-of-the-operator')
  given.keepKey()
  expect(fs.readdirSync(folder)).toEqual([])
})

test('the fleet that was set up is known at the next start', () => {
  const folder = aFolder('fleet')
  expect(openDemoFolder(folder).fleet).toBeUndefined()
  openDemoFolder(folder).keepFleet({ hosts: 30, seed: 'x' })
  expect(openDemoFolder(folder).fleet).toEqual({ hosts: 30, seed: 'x' })
})

test('a folder that does not exist is read as empty', () => {
  expect(openDemoFolder(path.join(root, 'nowhere')).fleet).toBeUndefined()
})

test.each([
  ['demo.key', 'short', 'has no valid key'],
  ['demo.json', '{"hosts": "many"}', 'is not a file of a demo'],
  ['demo.json', 'hosts', 'is not a file of a demo'],
])('a file %s with the content %j is refused, and the error states the remedy', (file, text, message) => {
  const folder = fs.mkdtempSync(path.join(root, 'bad-'))
  fs.writeFileSync(path.join(folder, file), text)
  expect(() => openDemoFolder(folder)).toThrow(message)
})
