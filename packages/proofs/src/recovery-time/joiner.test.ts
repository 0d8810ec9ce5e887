import { findNatsServer, INSTALL_NATS_SERVER } from '@gantt/server'
import { expect, test } from 'vitest'
import { isLongForm, longFormNote } from '../../../../testing/extent.ts'
import { createChecks } from '../checks.ts'
import { createFigures } from './figure.ts'
import { measureJoiner } from './joiner.ts'

const noNats = findNatsServer() === undefined

test.skipIf(noNats || !isLongForm)(
  `a replica joins a fleet, and after kill -9 of all processes the whole fleet is recovered${noNats ? ` [skipped: ${INSTALL_NATS_SERVER}]` : longFormNote}`,
  async () => {
    const said: string[] = []
    const say = (line: string): void => void said.push(line)
    const checks = createChecks(say)
    const figures = createFigures()
    await measureJoiner(checks, figures, { engine: 'nats', hosts: 40, history: 8, signal: new AbortController().signal, say })
    expect(said.filter((line) => line.includes('FAILED'))).toEqual([])
    expect(checks.passed).toBe(8)
    const behind = figures.all.find(({ what }) => what === 'nats, 40 hosts: joins behind some history: entries after the checkpoint')
    expect(behind?.values[0]).toBeGreaterThan(0)
  },
)
