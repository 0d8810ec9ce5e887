import { readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { stories } from './stories.ts'

test('every component that pages share is in the kit', () => {
  const components = readdirSync(new URL('../ui', import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.tsx'))
    .map((file) => path.basename(file, '.tsx'))
  expect(stories.map(({ of }) => of).sort()).toEqual(components.sort())
})

test('every state has content and a unique name', () => {
  for (const { of, states } of stories) expect(Object.keys(states), of).not.toEqual([])
})
