import { z } from 'zod'
import { newerField, type Problem } from '../../text/problem.ts'
import { limits } from '../limits.ts'
import { checkRequest, type DeepReadonly, gpuFields, instanceGroupFields, list, uuid } from './v1-0.ts'
import type { RequestSpecV1_1 } from './v1-1.ts'
import { checkGang, countGang, gangMemberFields, gangMemberText, type RequestSpecV1_2, requestFieldsV1_2 } from './v1-2.ts'

const gpus = z
  .strictObject({
    ...gpuFields,
    numaPolicy: z
      .enum(['required', 'preferred'])
      .nullable()
      .default(null)
      .describe(
        "How near the GPUs must be to the host cells that the guest uses, by the host's report. required: in one of these cells. preferred: in one of these cells if possible. null: anywhere.",
      ),
  })
  .describe('GPUs of an instance, whole or shares of them.')
  .nullable()
  .default(null)
  .describe('GPUs, whole or shares of them; null: none.')

/** RequestSpec 1.3 adds GPUs near the CPUs, server groups that are kept apart from each other, and the volumes and ports of an instance. */
export const requestSpecV1_3 = z
  .strictObject({
    ...requestFieldsV1_2,
    version: z.literal('1.3').default('1.3').describe('Version of this form.'),
    gpus,
    gang: list(z.strictObject({ ...gangMemberFields, gpus }).describe(gangMemberText), limits.gangMembers)
      .default([])
      .describe(requestFieldsV1_2.gang.description ?? ''),
    instanceGroup: z
      .strictObject({
        ...instanceGroupFields,
        apartFrom: list(uuid)
          .default([])
          .describe(
            'Other server groups whose members must not share a host with members of this group, whichever of them were placed first.',
          ),
      })
      .nullable()
      .default(null)
      .describe('The server group of the instances.'),
    volumes: list(uuid).default([]).describe('UUIDs of the volumes that the instance boots from or gets attached.'),
    ports: list(uuid).default([]).describe('UUIDs of the network ports that the instance gets.'),
    nearVolumesAndPorts: z
      .boolean()
      .default(true)
      .describe(
        'Whether each instance is placed near its volumes and ports even without a hint, if documents report where these are. Hints that name other volumes or ports apply in any case.',
      ),
  })
  .superRefine(checkRequest)
  .superRefine(checkGang)
  .superRefine(({ gpus: own, numaTopology, gang, instanceGroup }, context) => {
    const guests = [{ path: ['gpus'], gpus: own, numaTopology }, ...gang.map((member, i) => ({ path: ['gang', i, 'gpus'], ...member }))]
    for (const guest of guests)
      if (guest.gpus?.numaPolicy != null && guest.numaTopology === null)
        context.addIssue({
          code: 'custom',
          path: [...guest.path, 'numaPolicy'],
          input: guest.gpus.numaPolicy,
          message: 'must be null without numaTopology, because only CPUs in NUMA cells can be near to GPUs',
        })
    if (instanceGroup?.apartFrom.includes(instanceGroup.uuid))
      context.addIssue({
        code: 'custom',
        path: ['instanceGroup', 'apartFrom'],
        input: instanceGroup.apartFrom,
        message: 'must name other groups; members of one group are kept apart by the policy ANTI_AFFINITY',
      })
  })
  .transform(countGang)

type Output = z.output<typeof requestSpecV1_3>

/** The type of Nova's document is not deeply read-only, because the type of JSON is recursive. */
export type RequestSpecV1_3 = DeepReadonly<Omit<Output, 'nova'>> & Pick<RequestSpecV1_1, 'nova'>

/** Converts a request of 1.2 to 1.3. The fields that 1.3 added get their defaults. */
export const upgradeFrom1_2 = ({ gpus: own, gang, instanceGroup, ...spec }: RequestSpecV1_2): RequestSpecV1_3 => ({
  ...spec,
  version: '1.3',
  gpus: own && { ...own, numaPolicy: null },
  gang: gang.map((member) => ({ ...member, gpus: member.gpus && { ...member.gpus, numaPolicy: null } })),
  instanceGroup: instanceGroup && { ...instanceGroup, apartFrom: [] },
  volumes: [],
  ports: [],
  nearVolumesAndPorts: true,
})

/**
 * Converts a request of 1.3 to 1.2. There is a problem for each field that 1.2 cannot express. `asked` is the version that the problems
 * name.
 */
export function downgradeTo1_2(
  { gpus: own, gang, instanceGroup, volumes, ports, nearVolumesAndPorts, ...spec }: RequestSpecV1_3,
  asked = '1.2',
): { readonly spec: RequestSpecV1_2; readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  if (volumes.length > 0) problems.push(newerField('spec', asked, ['volumes'], volumes, 'an empty list'))
  if (ports.length > 0) problems.push(newerField('spec', asked, ['ports'], ports, 'an empty list'))
  if (!nearVolumesAndPorts) problems.push(newerField('spec', asked, ['nearVolumesAndPorts'], nearVolumesAndPorts, 'true'))
  const older = (given: RequestSpecV1_3['gpus'], path: readonly string[]): RequestSpecV1_2['gpus'] => {
    if (given === null) return null
    const { numaPolicy, ...rest } = given
    if (numaPolicy !== null) problems.push(newerField('spec', asked, [...path, 'numaPolicy'], numaPolicy, 'null'))
    return rest
  }
  const olderGroup = (given: NonNullable<RequestSpecV1_3['instanceGroup']>): RequestSpecV1_2['instanceGroup'] => {
    const { apartFrom, ...rest } = given
    if (apartFrom.length > 0) problems.push(newerField('spec', asked, ['instanceGroup', 'apartFrom'], apartFrom, 'an empty list'))
    return rest
  }
  return {
    spec: {
      ...spec,
      version: '1.2',
      gpus: older(own, ['gpus']),
      gang: gang.map((member, i) => ({ ...member, gpus: older(member.gpus, ['gang', String(i), 'gpus']) })),
      instanceGroup: instanceGroup && olderGroup(instanceGroup),
    },
    problems,
  }
}
