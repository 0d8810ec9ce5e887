import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

// These tests check that there is one folder per noun, with one file per command, so that a command can be found by its name.

const MAX_FILES = 25
const src = path.dirname(import.meta.dirname)
const folders = fs.readdirSync(src, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory())

test('each command is in a file with its name, in the folder of a noun', () => {
  const list = fs.readFileSync(path.join(import.meta.dirname, 'commands.ts'), 'utf8')
  const commands = [...list.matchAll(/^ {2}'?([\w-]+)'?: async \(\) => \(await import\('([^']+)'\)\)/gm)]
  expect(commands.length).toBeGreaterThan(25)
  const others = commands.filter(([, name = '', file = '']) => !new RegExp(`^\\./[a-z-]+/${name}\\.ts$`).test(file))
  expect(others.map(([line]) => line)).toEqual([])
})

test(`a folder has at most ${MAX_FILES} files`, () => {
  const counts = folders.map(({ parentPath, name }) => {
    const folder = path.join(parentPath, name)
    const files = fs.readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
    return [path.relative(src, folder), files.length] as const
  })
  expect(counts.length).toBeGreaterThan(15)
  expect(counts.filter(([, files]) => files > MAX_FILES)).toEqual([])
})
