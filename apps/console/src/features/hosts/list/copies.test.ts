import { execFileSync } from 'node:child_process'
import { byField, fieldsHolding } from '@gantt/scheduler-core/query'
import fc from 'fast-check'
import { parse } from 'graphql'
import { expect, it } from 'vitest'
import { curlOf } from '../../../lib/copies.ts'
import type { HostRow } from '../host-row.ts'
import { csvOf, jsonOf } from './copied-rows.ts'
import { cliLineOf, queryTextOf } from './copies.ts'
import { hostColumns } from './host-columns.tsx'

const row: HostRow = {
  host: 'cmp-1',
  node: 'cmp-1',
  hasOtherNodes: false,
  texts: { az: 'az1', state: 'UP', status: 'ENABLED' },
  sets: byField(fieldsHolding('set'), 'name', () => []),
  numbers: {
    ...{ 'cpu.total': 64, 'cpu.free': 32, 'cpu.used': 50, 'mem.total': 1_536, 'mem.free': 1_024, 'mem.used': 33.333_33 },
    ...{ 'disk.total': 10, 'disk.free': 10, 'disk.used': 0, 'gpu.count': 2, 'gpu.free': 1.5, claims: 1, instances: 3, age: 0 },
  },
}

it('a copied host is a row of CSV below a heading', () => {
  expect(csvOf({ rows: [row], columns: [] })).toBe(
    'host,node,availabilityZone,state,status,vcpus,vcpusFree,cpuUsedPercent,memoryFreeMib,memoryUsedPercent,diskFreeGib,' +
      'diskUsedPercent,gpus,gpusFree,claims,instances,reportedAt\r\n' +
      'cmp-1,cmp-1,az1,UP,ENABLED,64,32,50,1024,33.33,10,0,2,1.5,1,3,\r\n',
  )
})

it.each([
  ['a comma', 'a,b', '"a,b"'],
  ['a quote', 'a"b', '"a""b"'],
  ['a formula', '=1+2', "'=1+2"],
])('a cell with %s is escaped', (_name, az, cell) => {
  expect(csvOf({ rows: [{ ...row, texts: { ...row.texts, az } }], columns: [] }).split('\r\n')[1]).toContain(`cmp-1,cmp-1,${cell},UP`)
})

it('aggregates, traits and verdicts are copied if their columns are shown', () => {
  const rows = [{ ...row, sets: { ...row.sets, agg: ['gpu', 'ssd'], trait: ['CUSTOM_A'] } }]
  const columns = [...hostColumns.filter(({ key }) => key === 'agg' || key === 'trait'), { key: 'verdict', value: () => 'passed' }]
  expect(csvOf({ rows, columns }).replaceAll(/(?<=^|\n).*,reportedAt|(?<=^|\n)cmp-1.*3,/g, '')).toBe(
    ',aggregates,traits,verdict\r\n,"gpu, ssd",CUSTOM_A,passed\r\n',
  )
})

it('a copied row has a value for each shown column, and null if the host does not report the value', () => {
  const rows = [{ ...row, sets: { ...row.sets, 'cpu.model': ['Milan'] } }]
  const columns = hostColumns.filter(({ key }) => key === 'cpu.model' || key === 'hypervisor.version')
  expect(JSON.parse(jsonOf({ rows, columns }))).toEqual([
    { ...JSON.parse(jsonOf({ rows: [row], columns: [] }))[0], hypervisorVersion: null, cpuModel: 'Milan' },
  ])
})

it('a JSON copy has the same columns as a CSV copy', () => {
  expect(JSON.parse(jsonOf({ rows: [row], columns: [] }))).toMatchObject([{ host: 'cmp-1', memoryFreeMib: 1_024, reportedAt: null }])
})

it('a copied filter is quoted for the shell and for GraphQL', () => {
  const anyFilter = fc.stringMatching(/^[ -~]{0,30}$/).map((text) => text.trim())
  fc.assert(
    fc.property(anyFilter, (filter) => {
      expect(() => parse(queryTextOf({ filter }))).not.toThrow()
    }),
  )
  for (const filter of [`agg:"it's"`, 'mem.free>=64GiB -az:z1', '$(x) `y` \\ "z"']) {
    const argumentsOf = (line: string): string[] => {
      const script = `for word in "$@"; do printf '%s\\0' "$word"; done`
      const run = execFileSync('sh', ['-c', `set -- ${line}\n${script}`], { encoding: 'utf8' })
      return run.split('\0')
    }
    expect(argumentsOf(cliLineOf({ filter }))).toContain(filter)
    expect(argumentsOf(cliLineOf({ filter, at: '88123' })).slice(-3, -1)).toEqual(['--at', '88123'])
    const body = argumentsOf(curlOf('http://h', queryTextOf({ filter }))).at(-2) ?? ''
    const { query } = JSON.parse(body) as { readonly query: string }
    expect(query).toContain(JSON.stringify(filter))
  }
})
