import { amountText, counted, instancesLeft, overfullText, subjectText, valueText } from './amount-text.ts'
import { type Code, codes } from './codes.ts'
import type { Reason } from './reason.ts'

/** Writes a reason as a sentence with its numbers, for people. Programs should read the code and the facts. */
export function reasonText(reason: Reason): string {
  const render = sentences[reason.code]
  const shown = render === undefined ? codes[reason.code] : render(toShown(reason))
  // The excess and the reserved amount are part of the first sentence, because some clients show only one sentence.
  const more = `${isOfAmounts(reason) ? overfullText(reason.have, reason.unit) : ''}${reason.reserved === undefined ? '' : `; ${reason.reserved}`}`
  const sentence = more === '' ? shown : `${shown.replace(/\.$/, '')}${more}.`
  return reason.isHeldTwice === true ? `${sentence} ${HELD_TWICE}` : sentence
}

/** Replaces negative amounts by 0. Puts empty texts in quotes, because an empty text would leave a gap in the sentence. */
function toShown({ need, have, ...reason }: Reason): Reason {
  const shown = (value: string | number) => (typeof value === 'string' ? valueText(value) : value)
  const there = typeof have === 'number' && isOfAmounts(reason) ? Math.max(0, have) : have
  return { ...reason, ...(need !== undefined && { need: shown(need) }), ...(there !== undefined && { have: shown(there) }) }
}

/** True if the numbers of a reason are amounts. Plug-ins can compare numbers of another kind, and these can be negative. */
const isOfAmounts = ({ code }: Pick<Reason, 'code'>): boolean => code !== 'filter.refused'

/** Writes an amount of a reason. A reason whose sentence has an amount always contains this amount, so "some" is never shown. */
const amount = (value: Reason['need'], unit?: string): string => amountText(value ?? 'some', unit)

/** Writes page sizes: "pages of 2048 KiB". Texts such as "large pages" stay unchanged. */
const pagesText = (sizes: Reason['need']): string => (String(sizes).endsWith('KiB') ? `pages of ${sizes}` : String(sizes))

/** The end of a sentence about devices: it says where there are free devices that are too far away. */
const elsewhere = (source: string | undefined): string => (source === undefined ? '' : `; elsewhere ${source}`)

/** In a reason about several instances, this separates the devices from the host cells near which they are needed. */
const NEAR = ' near '

/** The part of a sentence that says near which cells devices are needed, and for how many instances. */
const nearWhat = ({ subject = '', instances, areMore }: Reason): string =>
  instances === undefined
    ? "near the guest's NUMA cells"
    : `by ${instancesLeft(instances, areMore === true)} near ${subject.split(NEAR)[1] ?? 'their NUMA cells'}`

const HELD_TWICE =
  'The instance keeps its resources on this host until its move ends. An instance with NUMA cells, dedicated CPUs or devices holds all its resources twice until then.'

const short = ({ subject = '', need, have, unit }: Reason): string =>
  `${subjectText(subject, unit)}${amount(need, unit)} needed, ${have} free.`

const exact = ({ subject = '', need, have, unit }: Reason): string =>
  `${subjectText(subject, unit)}exactly ${amount(need, unit)} needed, ${have} free.`

/** The sentence with the needed and the actual distance of a host from a volume or a port. */
const far = ({ need, have }: Reason): string =>
  `${need} was requested; ${have === 'not reached' ? 'the host does not reach it' : `the host is at: ${have}`}.`

/** A sentence that names a host whose document is missing, if `have` says so. */
const notSent = (have: Reason['have']): string => (String(have).startsWith('not sent by ') ? ` The namespace is ${have}.` : '')

/** Writes keys with their values: "a = 1, b = 2". Keys and values are lists that are separated by commas. */
function pairsText(subject: Reason['subject'], need: Reason['need']): string {
  const [keys, values] = [String(subject).split(', '), String(need).split(', ')]
  return keys.length === values.length ? keys.map((key, i) => `${key} = ${values[i]}`).join(', ') : `${subject} = ${need}`
}

/** The part of a sentence that says how many instances together need more of a resource than a host has in total. */
const neededBy = ({ instances }: Reason): string =>
  instances === undefined ? 'one instance' : `the ${counted(instances, 'instance')} together`

/** The sentences with numbers, by code. For a code without a function here, the fixed sentence in `codes` is used. */
const sentences: Partial<Record<Code, (reason: Reason) => string>> = {
  'host.disabled': ({ have, source }) => `The host is ${have}${source ? `: ${source}` : ''}.`,
  // Nova's ComputeFilter compares the time since the last heartbeat. The filter of this service reads the liveness of the host, which is
  // stored with a reason.
  'host.down': ({ need, have, unit, source }) =>
    unit === 's'
      ? `The host was last heard ${have} s ago; ${need} s is allowed (${source}).`
      : `The host is DOWN${source ? `: ${source}` : ''}.`,
  'host.not_requested': ({ need }) => `The request names other hosts: ${need}.`,
  'host.none_common': ({ need }) => `No host is in all lists of the request: ${need}.`,
  'host.refused_earlier': ({ subject, source }) =>
    `${subject} refused the host for ${source} of the request. By Nova's rules, no later instance is then placed on it.`,
  'host.not_reported': ({ subject }) => `The host's report lacks ${subject}, which the filter reads.`,
  'zone.other': ({ need, have }) => `The host is in availability zone ${have}; ${need} was requested.`,
  'memory.short': short,
  'cpu.short': short,
  'disk.short': short,
  'memory.too_little': (reason) => `Memory: ${reason.need} MiB needed by ${neededBy(reason)}; the host has ${reason.have} MiB in total.`,
  'memory.huge_pages': ({ need, have }) =>
    `${need} MiB needed outside of the memory that the host sets aside as huge pages, ${have} MiB free there.`,
  'disk.too_little': (reason) => `Disk: ${reason.need} GiB needed by ${neededBy(reason)}; the host has ${reason.have} GiB in total.`,
  'cpu.too_few': (reason) => `${amount(reason.need, 'vCPUs')} needed by ${neededBy(reason)}; the host has ${reason.have} in total.`,
  'class.not_reported': ({ subject, need }) => `The host does not report ${subject}; ${amount(need, subject)} needed.`,
  'class.short': ({ subject = '', need, have }) => `${subjectText(subject, subject)}${amount(need, subject)} needed, ${have} free.`,
  'class.too_little': (reason) =>
    `${subjectText(reason.subject ?? '', reason.subject)}${amount(reason.need, reason.subject)} needed by ${neededBy(reason)}; the host has ${reason.have} in total.`,
  'class.unit': ({ subject = '', need, have }) =>
    `${subjectText(subject, subject)}${amount(need, subject)} needed by one instance; the host allows ${have}.`,
  'numa.cells': ({ need, have }) => `${amount(need, 'NUMA cells')} needed; the host has ${have}.`,
  'numa.memory': ({ subject, need, have }) => `Guest ${subject}: ${need} MiB needed in one NUMA cell; the freest has ${have} MiB.`,
  'numa.too_little_memory': ({ subject, need, have }) =>
    `Guest ${subject}: ${need} MiB needed in one NUMA cell; the largest has ${have} MiB in total.`,
  'numa.huge_pages': ({ subject, need, have }) =>
    `Guest ${subject}: ${need} MiB needed in one NUMA cell outside of huge pages; the freest has ${have} MiB there.`,
  'numa.pinned_memory': ({ subject, need, have }) =>
    `Guest ${subject}: ${need} MiB of memory without overcommitment needed in one NUMA cell, because its CPUs are dedicated; the freest has ${have} MiB.`,
  'numa.too_few_cpus': ({ subject, need, have }) =>
    `Guest ${subject}: ${amount(need, 'shared CPUs')} needed in one NUMA cell; the largest has ${have} to share.`,
  'numa.too_few_dedicated': ({ subject, need, have }) =>
    `Guest ${subject}: ${amount(need, 'dedicated CPUs')} needed in one NUMA cell; the largest has ${have} to dedicate in total.`,
  'numa.too_few_cores': ({ subject, need, have, source }) =>
    `Guest ${subject}: ${amount(need, 'CPUs')} needed in one NUMA cell by ${source}; the largest has ${have} on such cores in total.`,
  'numa.too_few_pages': ({ subject, need, have, unit }) =>
    `Guest ${subject}: ${amount(need, unit)} needed in one NUMA cell; the largest has ${have} in total.`,
  'numa.cpus': ({ subject, need, have }) =>
    `Guest ${subject}: ${amount(need, 'shared CPUs')} needed in one NUMA cell; the freest has ${have}.`,
  'numa.dedicated_cpus': ({ subject, need, have }) =>
    `Guest ${subject}: ${amount(need, 'dedicated CPUs')} needed in one NUMA cell; the freest has ${have}.`,
  'numa.no_cell': ({ subject, need, have }) =>
    `Guest ${subject}: ${amount(need, 'CPUs')} needed in one NUMA cell; the freest of those with the memory has ${have}.`,
  'numa.no_match': ({ need, have }) => `${amount(need, 'NUMA cells')} needed at once, one for each guest cell; at most ${have} fit.`,
  'numa.page_size': ({ subject, need, have }) =>
    `Guest ${subject}: ${pagesText(need)} needed in one NUMA cell; the nearest has ${pagesText(have)}.`,
  'numa.pages': ({ subject, need, have, unit }) =>
    `Guest ${subject}: ${amount(need, unit)} needed in one NUMA cell; the nearest has ${have}.`,
  'numa.page_multiple': ({ subject, need, have }) => `Guest ${subject}: its memory of ${have} KiB is no multiple of pages of ${need} KiB.`,
  'numa.threads': ({ subject, need, have, source }) =>
    `Guest ${subject}: ${amount(need, 'CPUs')} needed in one NUMA cell by ${source}; the nearest has ${have}, on other cores.`,
  'numa.no_threads': ({ need, have }) => `The request requires cores of ${need} or more threads; those of the host have ${have}.`,
  'numa.networks': ({ subject, need, have }) => `NUMA ${subject}: networks ${need} needed; their networks are ${have}.`,
  'numa.search_limit': ({ have }) =>
    `No choice of NUMA cells was found that suits the devices and networks; the search ended after ${amount(have, 'steps')}.`,
  'pci.not_reported': ({ subject, need }) => `PCI ${subject}: ${amount(need, 'devices')} needed; the host reports none.`,
  'pci.short': ({ subject, need, have }) => `PCI ${subject}: ${amount(need, 'devices')} needed, ${have} free.`,
  'pci.numa': (reason) =>
    `PCI ${reason.subject?.split(NEAR)[0] ?? ''}: ${amount(reason.need, 'devices')} needed ${nearWhat(reason)}, ${reason.have} free there${elsewhere(reason.source)}.`,
  'pci.unasked': ({ subject, need, have }) =>
    `PCI ${subject}: ${amount(need, 'devices')} needed, ${have} free of types that need not be requested explicitly.`,
  'gpu.none': ({ need }) => `${amount(need, 'GPUs')} needed; the host has none.`,
  'gpu.model': ({ need, have }) => `GPU model ${need} needed; the host has ${have}.`,
  'gpu.count': ({ subject, need, have }) =>
    `${amount(need, 'GPUs')}${subject?.startsWith('GPU of') ? subject.slice('GPU'.length) : ''} needed; the host has ${have} in total.`,
  'gpu.short': ({ subject = 'GPU', need, have, source }) => {
    const asked = subject.includes('GPU') ? `${need} ${need === 1 ? subject : subject.replace('GPU', 'GPUs')}` : `${need} × ${subject}`
    return `${asked} needed; the host has ${have}${subject.endsWith('free') ? '' : ' free'}${source === undefined ? '' : `; ${source}`}.`
  },
  'gpu.numa': (reason) =>
    `${amount(reason.need, 'GPUs')} needed ${nearWhat(reason)}, ${reason.have} free there${elsewhere(reason.source)}.`,
  'trait.missing': ({ need }) => `The host lacks the trait ${need}.`,
  'trait.forbidden': ({ have }) => `The host has the forbidden trait ${have}.`,
  'aggregate.not_member': ({ need }) => `The host is in none of the aggregates ${need}.`,
  'aggregate.extra_spec': ({ subject, need, have }) => `The flavor requires ${subject} = ${need}; the host's aggregates have ${have}.`,
  'image.unsupported': ({ subject, need, have }) => `The image needs ${pairsText(subject, need)}; the host supports ${have}.`,
  'instance.same_host': ({ have }) => `The host has instance ${have}, with which the request must not share a host.`,
  'instance.not_on_host': ({ need }) => `The host has none of the instances ${need}.`,
  'group.affinity': ({ subject, need, have }) =>
    `The members of server group ${subject} are on ${need}${have === undefined ? '' : `, and this is ${have}`}.`,
  'group.together': ({ subject, need }) =>
    `Server group ${subject}: the host must fit ${amount(need, 'members')} at once; its NUMA cells and devices do not have enough free resources.`,
  'group.apart': ({ subject, need, have }) => `Server group ${subject}: the host must have ${need}; it has ${have}.`,
  'group.anti_affinity': ({ subject, need, have }) =>
    `Server group ${subject}: the host must have ${amount(need, 'members')}; it has ${have}.`,
  'topology.skew': ({ subject, need, have, source }) =>
    `${subject}: the domain must have ${amount(need, 'members')}; it has ${have}. The domain with the fewest is ${source}.`,
  'topology.full': ({ subject, need, have }) => `${subject}: the domain must have ${amount(need, 'members')}; it has ${have}.`,
  'topology.no_domain': ({ subject }) => `The host is in no domain of ${subject}.`,
  'instances.too_many': ({ need, have }) => `The host has ${amount(have, 'instances')}; a placement requires ${need}.`,
  'io_ops.too_many': ({ need, have }) =>
    `The host runs ${have} I/O-heavy ${have === 1 ? 'operation' : 'operations'}; a placement requires ${need}.`,
  'host.tried': ({ have }) => `The node was tried before for this request: ${have}.`,
  'host.other_network': ({ need, have }) => `The host has the address ${have}, outside of ${need}.`,
  'memory.not_exact': exact,
  'cpu.not_exact': exact,
  'disk.not_exact': exact,
  'aggregate.image_property': ({ subject, need, have }) =>
    `The image has ${subject} = ${need}; the host's aggregates are reserved for ${have}.`,
  'aggregate.project': ({ need, have }) =>
    `The host's aggregates are reserved for the projects ${have}; the request ${need === 'none' ? 'has no project' : `is of ${need}`}.`,
  'aggregate.flavor': ({ need, have }) => `The host's aggregates are reserved for the flavors ${have}; ${need} was requested.`,
  'aggregate.tenant': ({ subject, need }) => `${subject} is limited to hosts of ${need}, and the host is in none of them.`,
  'aggregate.trait': ({ need, have }) => `The aggregate ${have} is reserved for requests that require the trait ${need}.`,
  'cell.other': ({ need }) => `The request stays in Nova's cell ${need}; the host is in another one, or reports none.`,
  'capability.missing': ({ subject, need }) => `The flavor requires ${subject} ${need}; the host does not report it.`,
  'capability.mismatch': ({ subject, need, have }) => `The flavor requires ${subject} ${need}; the host has ${have}.`,
  'image.version': ({ need, have }) => `The image needs hypervisor version ${need}; the host has ${have}.`,
  'isolation.image': ({ need, have }) => `The image may run on ${need} only; this is ${have}.`,
  'isolation.host': ({ need, have }) => `The host is reserved for the images ${need}; the request has ${have}.`,
  'query.no_match': ({ need, have }) => `The query requires ${need}; the host has ${have}.`,
  'metric.missing': ({ need, have }) => `The host does not report the metrics ${need}; it reports ${have}.`,
  'flavor.other': ({ subject, need, have }) => `The host holds ${subject} of flavor ${have}; only instances of ${need} may be added.`,
  'trust.level': ({ need, have }) => `The flavor asks for a ${need} node; this one is ${have}.`,
  'namespace.not_reported': ({ subject }) => `The host has no document of the namespace ${subject}.`,
  'namespace.stale': ({ subject, need, have }) =>
    `The document of the namespace ${subject} is ${typeof have === 'number' ? `${have} s old` : 'of unknown age'}; at most ${need} s is allowed.`,
  'namespace.not_sent': ({ subject, have, source }) =>
    source === undefined
      ? `The host does not send the namespace ${subject}${have === 'paused' || have === 'slowed' ? ', because no profile in use reads it' : ''}: its collector is ${have}.`
      : `The host does not send the namespace ${subject} yet, although the ${source} reads it: its agent reported last that its collector is ${have}.`,
  'namespace.malformed': ({ subject, have }) => `The document of the namespace ${subject} cannot be read: ${have}.`,
  'pool.not_told': ({ subject, have }) => `No storage document states the size of the pool ${subject}.${notSent(have)}`,
  'pool.ambiguous': ({ have }) => `The aggregates of the host name more than one pool for its disks: ${have}.`,
  'pool.too_little': (reason) =>
    `The pool ${reason.subject} has ${reason.have} GiB in total; ${reason.need} GiB were requested by ${neededBy(reason)}.`,
  'pool.short': (reason) =>
    `The pool ${reason.subject} has ${reason.have} GiB left; ${reason.need} GiB were requested${reason.instances === undefined ? '' : ` by ${neededBy(reason)}`}.`,
  'volume.unknown': ({ need, have }) => `No recent storage document names the volume ${need}.${notSent(have)}`,
  'volume.far': far,
  'port.unknown': ({ need, have }) => `No recent network document names the port ${need}.${notSent(have)}`,
  'port.far': far,
  'filter.refused': ({ subject, need, have, unit, source }) =>
    `${subject ?? 'The filter of a plug-in'}: ${amountText(need ?? 'a different value', unit)} needed, ${have ?? 'not present'} here${source ? ` (${source})` : ''}.`,
  'outside.no_answer': ({ subject, have }) => `${subject} has no answer about the host, so the host is refused: ${have}.`,
  'outside.bad_answer': ({ subject, have }) => `${subject} gave an invalid answer about the host, so the host is refused: ${have}.`,
  'outside.failed': ({ subject, have }) => `${subject} did not answer, so the host is refused: ${have}.`,
  'filter.error': ({ subject = 'The filter', have }) =>
    `${subject} failed on this host, so the host is refused${have === undefined ? '' : `: ${have}`}.`,
}
