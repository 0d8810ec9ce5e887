import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from '../fixtures.ts'

const MAIN = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url))

/** The CPUs of each NUMA cell of this machine, from lscpu. */
const cellsOfThisMachine = (): ReadonlyMap<number, readonly number[]> => {
  const rows = execFileSync('lscpu', ['-p=CPU,NODE'], { encoding: 'utf8' }).split('\n')
  const cells = new Map<number, number[]>()
  for (const row of rows) {
    const [, cpu, cell] = /^(\d+),(\d+)$/.exec(row) ?? []
    if (cpu !== undefined) cells.set(Number(cell), [...(cells.get(Number(cell)) ?? []), Number(cpu)])
  }
  return cells
}

test('the browser shows the machine that the agent reports', async ({ page, visit, service }) => {
  test.skip(!existsSync('/sys/devices/system/node/online'), 'this machine shows no NUMA cells')
  execFileSync(process.execPath, [MAIN, 'agent', '--once', '--name', 'this-machine'], {
    env: { PATH: process.env.PATH ?? '', HOME: '/nowhere', GANTT_URL: service.url, GANTT_KEY: service.key },
  })
  await visit('/hosts/this-machine')
  const cells = cellsOfThisMachine()
  await expect(page.getByRole('region', { name: /^NUMA cell / })).toHaveCount(cells.size)
  for (const [id, cpus] of cells) {
    const shown = page.getByRole('region', { name: `NUMA cell ${id}` }).locator('[title^="CPU "]')
    const numbers = await shown.evaluateAll((marks) => marks.map((mark) => Number(/\d+/.exec(mark.getAttribute('title') ?? '')?.[0])))
    expect(numbers).toEqual(cpus)
  }
  const memoryKib = Number(/^MemTotal:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1])
  const memory = page.getByRole('table', { name: 'Usage by resource class' }).getByRole('row').filter({ hasText: 'MEMORY_MB' })
  await expect(memory.locator('[data-value]').first()).toHaveAttribute('data-value', String(Math.floor(memoryKib / 1_024)))
})
