import { usedFromValues, type HostWarning as Warning, warningText } from '@gantt/scheduler-core'
import { builder } from '../builder.ts'

export const UsedFrom = builder.enumType('UsedFrom', {
  description:
    "The source of a host's used amounts of resources. REPORT: the host's report, plus the claims that the report does not count yet. CLAIMS: only the claims on the host.",
  values: usedFromValues,
})

export const HostWarning = builder.objectRef<Warning>('HostWarning').implement({
  description:
    "A value in a host's last report that is impossible, or that makes this service count more usage than the host may really have. docs/errors.md has a remedy for each code.",
  fields: (t) => ({
    code: t.exposeString('code', {
      description: 'The code of the warning: capacity.below_claims, use.below_claims, use.beyond_memory or use.no_instances.',
    }),
    subject: t.exposeString('subject', {
      description:
        'What the warning is about: a resource class, kind of device, NUMA cell or pool of disks; `instances` if the report lists none.',
    }),
    reported: t.expose('reported', {
      type: 'SafeInt',
      nullable: true,
      description:
        'The reported value: for capacity.below_claims the capacity in units, for the other codes the used units. Null if the host reports none.',
    }),
    held: t.expose('held', {
      type: 'SafeInt',
      description:
        'What the reported value is compared with. For capacity.below_claims: the units that live claims hold; for a pool of disks, the claims on all its hosts. For use.below_claims: the units of the claims of listed instances. For use.beyond_memory: the used MiB of huge pages. For use.no_instances: the number of live claims, which are all added in full to the reported usage.',
    }),
    text: t.string({ description: 'The warning as one sentence, with advice.', resolve: warningText }),
  }),
})
