import { usedFromValues, type HostWarning as Warning, warningText } from '@gantt/scheduler-core'
import { builder } from '../builder.ts'

export const UsedFrom = builder.enumType('UsedFrom', {
  description:
    "The source of a host's used amounts: REPORT, its report and the claims that the report does not count; CLAIMS, only claims.",
  values: usedFromValues,
})

export const HostWarning = builder.objectRef<Warning>('HostWarning').implement({
  description:
    "An impossible value in a host's last report, or one that makes the host count for more than it may use. docs/errors.md has a remedy for each code.",
  fields: (t) => ({
    code: t.exposeString('code', { description: 'capacity.below_claims, use.below_claims, use.beyond_memory or use.no_instances.' }),
    subject: t.exposeString('subject', {
      description: 'The resource class, kind of device, cell or pool of disks; `instances` if none are listed.',
    }),
    reported: t.expose('reported', {
      type: 'SafeInt',
      nullable: true,
      description: 'The capacity in units (capacity.below_claims), or the used units by the report; null if it reports none.',
    }),
    held: t.expose('held', {
      type: 'SafeInt',
      description:
        'The units that the live claims hold (capacity.below_claims), for a pool of disks those of all hosts; or those of the listed instances (use.below_claims); the used MiB of huge pages (use.beyond_memory); if no instances are listed, the number of live claims that count in full.',
    }),
    text: t.string({ description: 'The warning as one sentence, with what to do.', resolve: warningText }),
  }),
})
