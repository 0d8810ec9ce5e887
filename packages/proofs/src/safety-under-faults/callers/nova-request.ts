import type { Group } from '../history.ts'

interface Wanted {
  readonly vcpus: number
  readonly memoryMb: number
  /** Amounts of other resource classes, as extra specs. */
  readonly classes: readonly { readonly key: string; readonly value: string }[]
  readonly instance: string | null
  readonly group: Group | null
  /** The hosts on which the instance was tried before. */
  readonly tried: readonly string[]
}

/** A request for an instance as Nova sends it after failed attempts. */
export const novaRequest = ({ vcpus, memoryMb, classes, instance, group, tried }: Wanted): Readonly<Record<string, unknown>> =>
  object('RequestSpec', {
    flavor: object('Flavor', {
      vcpus,
      memory_mb: memoryMb,
      root_gb: 0,
      ephemeral_gb: 0,
      swap: 0,
      extra_specs: Object.fromEntries(classes.map(({ key, value }) => [key, value])),
      name: 'nemesis',
      flavorid: 'nemesis',
    }),
    num_instances: 1,
    instance_uuid: instance,
    project_id: 'nemesis',
    user_id: 'nemesis',
    instance_group: group === null ? null : novaGroup(group),
    retry: object('SchedulerRetries', {
      num_attempts: tried.length + 1,
      hosts: object('ComputeNodeList', {
        objects: tried.map((host) => object('ComputeNode', { host, hypervisor_hostname: host })),
      }),
    }),
  })

const novaGroup = ({ uuid, policy, maxServerPerHost }: Group) =>
  object('InstanceGroup', {
    uuid,
    policy: policy === 'AFFINITY' ? 'affinity' : 'anti-affinity',
    ...(maxServerPerHost !== null && { _rules: { max_server_per_host: String(maxServerPerHost) } }),
  })

const object = (name: string, data: Readonly<Record<string, unknown>>) => ({
  'nova_object.name': name,
  'nova_object.version': '1.0',
  'nova_object.namespace': 'nova',
  'nova_object.data': data,
})
