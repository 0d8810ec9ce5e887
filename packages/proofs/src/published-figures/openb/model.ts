import { parseHostStats, parseRequestSpec, type RequestSpec } from '@gantt/scheduler-core'
import type { TraceHost } from '../driver.ts'
import type { OpenbNode } from './nodes.ts'
import type { OpenbPod } from './pods.ts'

/** The resource class for CPU in the unit of the trace, thousandths of a core. */
export const CPU_CLASS = 'CUSTOM_CPU_MILLI'

/** Converts a node to a host. The host reports its CPUs only in thousandths and not also as VCPU, so that a pod does not use them twice. */
export function openbHost(node: OpenbNode): TraceHost {
  const stats = parseHostStats({
    vcpus: 0,
    vcpusUsed: 0,
    memoryMb: node.memoryMib,
    memoryMbUsed: 0,
    localGb: 0,
    localGbUsed: 0,
    inventories: [{ resourceClass: CPU_CLASS, total: node.cpuMilli }],
    gpus: Array.from({ length: node.gpus }, (_, index) => ({ index, model: node.gpuModel })),
  })
  if (!stats.ok) throw new Error(`node ${node.name}: ${stats.problems.map(({ message }) => message).join('; ')}`)
  return { name: node.name, stats: stats.value }
}

/** A key that is equal for pods with the same demands. */
export const openbKind = ({ cpuMilli, memoryMib, gpus, gpuMilliEach, gpuModels }: OpenbPod): string =>
  `${cpuMilli}m ${memoryMib}M ${gpus}x${gpuMilliEach} ${gpuModels.join('|')}`

/** Creates the request of a pod. Requests are stored by demand, because many pods have the same demands. */
export function createOpenbRequests(): (pod: OpenbPod) => RequestSpec {
  const known = new Map<string, RequestSpec>()
  return (pod) => {
    const kind = openbKind(pod)
    const request = known.get(kind) ?? toRequest(pod)
    known.set(kind, request)
    return request
  }
}

function toRequest(pod: OpenbPod): RequestSpec {
  const parsed = parseRequestSpec({
    flavor: { vcpus: 0, memoryMb: pod.memoryMib, extraSpecs: { [`resources:${CPU_CLASS}`]: String(pod.cpuMilli) } },
    gpus: pod.gpus === 0 ? null : { count: pod.gpus, shareMilli: pod.gpuMilliEach, models: [...pod.gpuModels] },
  })
  if (!parsed.ok) throw new Error(`pod ${pod.name}: ${parsed.problems.map(({ message }) => message).join('; ')}`)
  return parsed.value
}
