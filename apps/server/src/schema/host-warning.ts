import { usedFromValues, type HostWarning as Warning, warningText } from '@gantt/scheduler-core'
import { builder } from './builder.ts'

export const UsedFrom = builder.enumType('UsedFrom', {
  description:
    'Where the used amounts of a host come from: REPORT, what it reports and what claims hold that it does not count; CLAIMS, all claims and nothing else.',
  values: usedFromValues,
})

export const HostWarning = builder.objectRef<Warning>('HostWarning').implement({
  description:
    "What of a host's last report cannot be, or makes it count for more than it may use. docs/errors.md has a cure for each code.",
  fields: (t) => ({
    code: t.exposeString('code', { description: 'capacity.below_claims, use.below_claims, use.beyond_memory or use.no_instances.' }),
    subject: t.exposeString('subject', {
      description: 'The resource class, sort of device, cell or pool of disks; `instances` where none are listed.',
    }),
    reported: t.expose('reported', {
      type: 'SafeInt',
      nullable: true,
      description:
        'Units that the host may give in all (capacity.below_claims), or that are in use, as reported; null where it says nothing.',
    }),
    held: t.expose('held', {
      type: 'SafeInt',
      description:
        'Units that the live claims hold (capacity.below_claims), of a pool of disks those of all hosts, or those of the listed instances (use.below_claims); MiB of huge pages in use (use.beyond_memory); where no instances are listed, the live claims that count in full.',
    }),
    text: t.string({ description: 'As one sentence, with what to do.', resolve: warningText }),
  }),
})
