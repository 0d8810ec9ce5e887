import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { sharedData } from '../../../../../testing/shared-folder.ts'
import { parseCpuList } from './cpu-list.ts'
import { match } from './extra-spec-match.ts'
import { architectureName, hypervisorTypeName, vmModeName } from './names.ts'
import { NovaError } from './nova-error.ts'
import { hypervisorVersionText, versionSatisfies } from './versions.ts'

/** The results of functions of Nova's own scheduler, recorded with their inputs. */
const recorded = sharedData('conformance/cases/extras.jsonl.gz')

type Row =
  | { kind: 'match'; id: string; value: string; requirement: string; expected: unknown }
  | { kind: 'version'; id: string; hypervisor_version: number; expected: unknown }
  | { kind: 'version_predicate'; id: string; version: string; predicate: string; expected: unknown }
  | { kind: 'cpu_spec'; id: string; spec: string; expected: unknown }
  | { kind: 'canonicalize'; id: string; enum: keyof typeof names; value: string | null; expected: unknown }

const names = { Architecture: architectureName, HVType: hypervisorTypeName, VMMode: vmModeName }
const kinds = ['match', 'version', 'version_predicate', 'cpu_spec', 'canonicalize'] as const

function answer(row: Row): unknown {
  if (row.kind === 'match') return match(row.value, row.requirement)
  if (row.kind === 'version') return hypervisorVersionText(row.hypervisor_version)
  if (row.kind === 'version_predicate') return versionSatisfies(row.version, row.predicate)
  if (row.kind === 'cpu_spec') return parseCpuList(row.spec)
  return row.value === null ? null : names[row.enum](row.value)
}

function orError(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    if (error instanceof NovaError) return { error: error.kind }
    throw error
  }
}

describe.skipIf(recorded.isMissing)(`rows recorded from Nova${recorded.skipNote}`, () => {
  const rows = recorded.isMissing
    ? []
    : gunzipSync(readFileSync(recorded.path))
        .toString('utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Row)

  test.each(kinds)('every row of the kind %s gives the recorded result', (kind) => {
    const chosen = rows.filter((row) => row.kind === kind)
    expect(chosen.length).toBeGreaterThan(0)
    expect(chosen.map((row) => ({ ...row, expected: orError(() => answer(row)) }))).toEqual(chosen)
  })
})
