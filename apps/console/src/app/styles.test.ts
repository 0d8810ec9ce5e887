import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const source = fileURLToPath(new URL('..', import.meta.url))
const sheets = path.join(path.dirname(fileURLToPath(import.meta.resolve('@mantine/core/styles.css'))), 'styles')
const imported = readFileSync(path.join(source, 'app/styles.ts'), 'utf8')

/** The names of Mantine's components that a file imports, without types. */
const componentsIn = (text: string): readonly string[] =>
  [...text.matchAll(/^import \{([^}]*)\} from '@mantine\/core'/gm)].flatMap(([, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim().split(' ')[0] ?? '')
      .filter((name) => /^[A-Z]/.test(name)),
  )

test('every component of Mantine that the console uses has its style sheet', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'))
  const used = new Set(files.flatMap((file) => componentsIn(readFileSync(path.join(source, file), 'utf8'))))
  expect(used.size).toBeGreaterThan(20)
  const missing = [...used].filter(
    (name) => existsSync(path.join(sheets, `${name}.css`)) && !imported.includes(`'@mantine/core/styles/${name}.css'`),
  )
  expect(missing, 'style sheets that app/styles.ts has to import').toEqual([])
})
