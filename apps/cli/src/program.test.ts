import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { NODE_ARGUMENTS } from './program.ts'

const textOf = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8')

test.each(['main.ts', '../bin/gantt.mjs'])('the shebang line of %s has the Node arguments that child processes get', (file) => {
  expect(textOf(file).split('\n')[0]).toBe(`#!/usr/bin/env -S node ${NODE_ARGUMENTS.join(' ')}`)
})

test.each(['start', 'demo'])('npm run %s starts Node with the same arguments', (script) => {
  const { scripts } = JSON.parse(textOf('../../../package.json')) as { scripts: Record<string, string> }
  expect(scripts[script]).toMatch(new RegExp(`^exec node ${NODE_ARGUMENTS.join(' ')} `))
})
