import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readHuaweiEpisodes } from './huawei/episodes.ts'
import { readHuaweiVms } from './huawei/vms.ts'
import { readOpenbNodes } from './openb/nodes.ts'
import { readOpenbPods } from './openb/pods.ts'
import { aFile } from './testing/files.ts'
import { TraceError } from './trace-file.ts'

const VMS = 'vm_id,vcpus,memory_gb,arrival_s,lifetime_s'
const NODES = 'node,cpu_milli,memory_mib,gpus,gpu_model'
const PODS = 'pod,cpu_milli,memory_mib,gpus,gpu_milli_each,gpu_models,qos'

test('VMs are read from plain and compressed files, with columns in any order, and further columns are ignored', () => {
  const expected = [{ id: 7, vcpus: 2, memoryGb: 4, arrivalS: 10, lifetimeS: 0 }]
  expect(readHuaweiVms(aFile('vms.csv', `${VMS}\n7,2,4,10,0\n`))).toEqual(expected)
  expect(readHuaweiVms(aFile('vms.csv.gz', gzipSync(`${VMS}\r\n7,2,4,10,0\r\n`)))).toEqual(expected)
  expect(readHuaweiVms(aFile('vms.csv', 'note,vcpus,vm_id,lifetime_s,arrival_s,memory_gb\nx,2,7,0,10,4'))).toEqual(expected)
})

test('nodes and pods are read, and an empty GPU model means that the node has no GPUs', () => {
  expect(readOpenbNodes(aFile('n.csv', `${NODES}\nn1,32000,1024,0,\nn2,64000,2048,8,G2\n`))).toEqual([
    { name: 'n1', cpuMilli: 32_000, memoryMib: 1_024, gpus: 0, gpuModel: null },
    { name: 'n2', cpuMilli: 64_000, memoryMib: 2_048, gpus: 8, gpuModel: 'G2' },
  ])
  expect(readOpenbPods(aFile('p.csv', `${PODS}\np1,500,10,1,460,A|B,LS\np2,500,10,0,0,,\n`))).toEqual([
    { name: 'p1', cpuMilli: 500, memoryMib: 10, gpus: 1, gpuMilliEach: 460, gpuModels: ['A', 'B'] },
    { name: 'p2', cpuMilli: 500, memoryMib: 10, gpus: 0, gpuMilliEach: 0, gpuModels: [] },
  ])
})

test.each([
  ['a missing column', 'vm_id,vcpus\n1,2', 'vms.csv, line 1: the columns are "vm_id,vcpus"; they must include memory_gb'],
  ['no rows', VMS, 'vms.csv: no rows; there must be at least one'],
  ['an empty file', '', 'vms.csv, line 1: the columns are ""; they must include vm_id'],
  ['a field too few', `${VMS}\n1,2,3,4`, 'vms.csv, line 2: 4 fields; there must be 5, as in the first line'],
  ['a negative number', `${VMS}\n1,2,3,4,5\n2,-1,3,4,5`, 'vms.csv, line 3: vcpus is "-1"; it must be a whole number of 1 to 65536'],
  ['a fraction', `${VMS}\n1,2,3,4.5,5`, 'vms.csv, line 2: arrival_s is "4.5"; it must be a whole number of 0 or more'],
  ['a number beyond 2^53', `${VMS}\n1,2,3,9007199254740993,5`, 'arrival_s is "9007199254740993"; it must be a whole number of 0 or more'],
  ['time that goes back', `${VMS}\n1,2,3,9,5\n2,2,3,8,5`, 'line 3: arrival_s is 8; it must be 9 or more, as in the line before'],
  ['an id twice', `${VMS}\n1,2,3,9,5\n1,2,3,9,5`, 'line 3: vm_id is 1, which an earlier line has; it must be unique'],
])('VMs with %s are refused with the file, the line, and the found and allowed values', (_name, text, message) => {
  const file = aFile('vms.csv', text)
  expect(() => readHuaweiVms(file)).toThrow(message)
  expect(() => readHuaweiVms(file)).toThrow(TraceError)
})

test.each([
  ['a node without a name', readOpenbNodes, `${NODES}\n,1,1,0,`, 'line 2: node is ""; it must be not empty'],
  [
    'more GPUs than a host can report',
    readOpenbNodes,
    `${NODES}\nn,1,1,65,G`,
    'line 2: gpus is "65"; it must be a whole number of 0 to 64',
  ],
  [
    'GPUs without a requested share',
    readOpenbPods,
    `${PODS}\np,1,1,2,0,,LS`,
    'line 2: gpu_milli_each is 0 with 2 GPUs; it must be 1 to 1000',
  ],
  ['an empty model', readOpenbPods, `${PODS}\np,1,1,2,1000,A||B,LS`, 'line 2: gpu_models is "A||B"; it must be words between bars'],
] as const)('%s is refused', (_name, read, text, message) => {
  expect(() => read(aFile('t.csv', text))).toThrow(message)
})

test('a missing file is reported with another error than a damaged file', () => {
  expect(() => readHuaweiVms('/nowhere/vms.csv.gz')).toThrow('/nowhere/vms.csv.gz cannot be read: ENOENT')
  const damaged = gzipSync(`${VMS}\n1,2,3,4,5\n`).subarray(0, 20)
  expect(() => readHuaweiVms(aFile('vms.csv.gz', damaged))).toThrow(/is damaged: it begins as gzip but cannot be unpacked/)
})

test('the episodes of a set are read as the ids of their first VMs', () => {
  expect(readHuaweiEpisodes(aFile('e.json', '{"note":"x","test":[3,1]}'), 'test')).toEqual([3, 1])
})

test.each([
  ['an unknown set', '{"note":"x","a":[1],"b":[2]}', 'e.json has no set "test"; it must be one of a, b'],
  ['no set of the requested name', '{"a":[1]}', 'e.json has no set "test"; it must be one of a'],
  ['a list', '[1]', 'e.json is [1]; it must be an object with a list of VM ids per set'],
  ['an empty set', '{"test":[]}', 'e.json: test is empty; it must name at least one VM'],
  ['a word for an id', '{"test":[1,"x"]}', 'e.json: test[1] is "x"; it must be the id of a VM'],
  ['no JSON', '{', 'e.json is not JSON'],
])('episodes with %s are refused', (_name, text, message) => {
  expect(() => readHuaweiEpisodes(aFile('e.json', text), 'test')).toThrow(message)
})
