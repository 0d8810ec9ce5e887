import {
  architectureName,
  guestTopologyFor,
  hypervisorTypeName,
  hypervisorVersionText,
  match,
  NovaError,
  parseCpuList,
  readImageProperties,
  versionSatisfies,
  vmModeName,
} from '@gantt/scheduler-core/nova'
import { asObject, asText } from './case-host.ts'
import { type Case, CaseFileError } from './cases.ts'
import { type Difference, differenceOf } from './verdicts.ts'

type Answer = (given: Case) => unknown

const names = new Map([
  ['Architecture', architectureName],
  ['HVType', hypervisorTypeName],
  ['VMMode', vmModeName],
])

/** The functions that the filters are built on, by the kind of case that tests the function. */
const answers = new Map<unknown, Answer>([
  ['match', (row) => match(asText(row.value, 'value'), asText(row.requirement, 'requirement'))],
  ['version', (row) => hypervisorVersionText(Number(row.hypervisor_version))],
  ['version_predicate', (row) => versionSatisfies(asText(row.version, 'version'), asText(row.predicate, 'predicate'))],
  ['cpu_spec', (row) => parseCpuList(asText(row.spec, 'spec'))],
  ['canonicalize', canonicalize],
  ['numa_constraints', guestTopology],
])

/** Whether cases of this kind test a single function. */
export const isExtraKind = (kind: unknown): boolean => answers.has(kind)

/** Checks a case of a single function. The recorded result is its return value or the exception that it raises. */
export function judgeExtraCase(given: Case): Difference | undefined {
  const answer = answers.get(given.kind)
  if (answer === undefined)
    throw new CaseFileError(
      `case ${given.id} has the kind ${JSON.stringify(given.kind)}; it must be one of ${[...answers.keys()].join(', ')}`,
    )
  return differenceOf(
    given.expected,
    orError(() => answer(given)),
    'expected',
  )
}

function canonicalize(row: Case): unknown {
  const name = names.get(asText(row.enum, 'enum'))
  if (name === undefined)
    throw new CaseFileError(`case ${row.id} has the enum ${JSON.stringify(row.enum)}; it must be one of ${[...names.keys()].join(', ')}`)
  return row.value === null ? null : name(asText(row.value, 'value'))
}

function guestTopology({ vcpus, memory_mb, extra_specs, image_properties }: Case): unknown {
  const extraSpecs = Object.fromEntries(Object.entries(asObject(extra_specs, 'extra_specs')).map(([key, value]) => [key, String(value)]))
  const properties = readImageProperties(asObject(image_properties, 'image_properties'))
  const topology = guestTopologyFor({ vcpus: Number(vcpus), memoryMib: Number(memory_mb), extraSpecs }, properties)
  return (
    topology && {
      emulator_threads_policy: topology.emulatorThreadsPolicy,
      cells: topology.cells.map((cell) => ({
        id: cell.id,
        cpuset: cell.cpuset,
        pcpuset: cell.pcpuset,
        memory: cell.memory,
        pagesize: cell.pagesize,
        cpu_policy: cell.cpuPolicy,
        cpu_thread_policy: cell.cpuThreadPolicy,
      })),
    }
  )
}

function orError(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    if (error instanceof NovaError) return { error: error.kind }
    throw error
  }
}
