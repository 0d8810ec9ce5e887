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
  `three replicas are upgraded and downgraded under load without loss, and after the level is raised a downgrade is refused${longFormNote}`,
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
    // Only the newer release can remove and rename hosts. Callers do so once the log has the feature level of this release.
    expect(figures.leaves.replace).toBeGreaterThan(0)
  },
)

test('the error for a checkout that is not built names the missing program, and says that the checkout must be built first', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantt-upgrade-'))
  try {
    expect(() => olderRelease(folder)).toThrow(NotBuiltError)
    expect(() => olderRelease(folder)).toThrow(/apps.cli.dist.main\.js does not exist: build that checkout first/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
