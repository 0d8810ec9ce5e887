import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { isLongForm, longFormNote } from '../../../../testing/extent.ts'
import { createChecks } from '../checks.ts'
import { startHere } from '../safety-under-faults/testing/start-here.ts'
import { NotBuiltError, olderRelease } from './releases.ts'
import { runUpgrade } from './run.ts'

test.skipIf(!isLongForm)(
  `three replicas go to the newer release and back under load, and nothing is lost; behind the raised level there is no way back${longFormNote}`,
  async () => {
    const said: string[] = []
    const say = (line: string): void => void said.push(line)
    const figures = await runUpgrade(
      createChecks(say),
      { engine: 'postgres', seconds: 1, clients: 4, seed: 'short', startRelease: startHere },
      say,
    )
    expect(said.filter((line) => line.includes('FAILED'))).toEqual([])
    expect(figures).toMatchObject({ unanswered: 0, faults: { 'a replica: back to the older release': 3 } })
    expect(figures.verified).toBeGreaterThan(10)
    // calls of the newer release only, which are made once the log has its level
    expect(figures.leaves.replace).toBeGreaterThan(0)
  },
)

test('a checkout that is not built is named, with the command that builds it', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantt-upgrade-'))
  try {
    expect(() => olderRelease(folder)).toThrow(NotBuiltError)
    expect(() => olderRelease(folder)).toThrow(/apps.cli.dist.main\.js is not there: build that checkout first/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
