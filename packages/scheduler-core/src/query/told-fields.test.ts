import { expect, test } from 'vitest'
import { hostFields } from './host-fields.ts'
import { compileQuery, parseQuery } from './index.ts'
import { ofEachTold, type toldFields } from './told-fields.ts'

type Told = Parameters<(typeof toldFields)[number]['tell']>[0]

const cpu = { arch: 'x86_64', vendor: 'Intel', model: 'Cascadelake-Server' }
const hosts: Readonly<Record<string, Told>> = {
  old: { hypervisorType: 'QEMU', hypervisorVersion: 6_002_000, cpuInfo: cpu },
  new: { hypervisorType: 'QEMU', hypervisorVersion: 10_000_000, cpuInfo: { ...cpu, vendor: 'AMD', model: 'EPYC Milan' } },
  other: { hypervisorType: 'VMware ESXi', hypervisorVersion: 0, cpuInfo: { ...cpu, vendor: null, model: null } },
  silent: { hypervisorType: null, hypervisorVersion: null, cpuInfo: null },
}
const readers = ofEachTold(
  'name',
  ({ tell }) =>
    (host: string) =>
      tell(hosts[host] as Told) ?? undefined,
)

test.each([
  ['a type whole', 'hypervisor.type:QEMU', ['old', 'new']],
  ['a type by its short name', 'hv.type:VM*', ['other']],
  ['a version as a number', 'hypervisor.version>=8002000', ['new']],
  ['a lower version', 'hv.version<10000000', ['old', 'other']],
  ['one version exactly', 'hypervisor.version:6002000', ['old']],
  ['a model with blanks', 'cpu.model:"EPYC Milan"', ['new']],
  ['any of some vendors', 'cpu.vendor:AMD,Intel', ['old', 'new']],
  ['an architecture', 'cpu.arch:x86_64', ['old', 'new', 'other']],
  ['what is not told, of a text', '-cpu.model:*', ['other', 'silent']],
  ['what is not told, of a number', '-hypervisor.version>=0', ['silent']],
])('hosts are found by %s', (_what, text, found) => {
  const { query, problems } = parseQuery(text, hostFields)
  expect(problems).toEqual([])
  expect(Object.keys(hosts).filter(compileQuery(query, hostFields, readers))).toEqual(found)
})

test.each([
  ['cpu.model>=a', 'it is a text: write cpu.model:value'],
  ['hypervisor.version>=8.2.0', '8.2.0 is no number, such as 10'],
])('%s is wrong', (text, message) => expect(parseQuery(text, hostFields).problems[0]?.message).toContain(message))
